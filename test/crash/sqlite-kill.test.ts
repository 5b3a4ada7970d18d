// Crash points of SQLite with real processes: each call of the script is made by a process that kills itself with SIGKILL before its
// commit, and by another that does after it, before it has the answer. Whoever opens the file then finds all of the call or nothing
// of it, and can finish the work.

import { deepEqual, equal } from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { takeOver } from "./aftermath.ts"
import { sqliteAt } from "./places.ts"
import { shown } from "./process.ts"
import { contentOf, withDatabase } from "./sqlite-files.ts"
import { type CallStops, collectStops } from "./sqlite-stops.ts"

const moments = {
  uncommitted: "killed before its commit",
  unanswered: "killed after its commit, before its answer",
  answered: "killed after its answer",
} as const
type Moment = keyof typeof moments

const folder = mkdtempSync(join(tmpdir(), "sluice-kill-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const script = fileURLToPath(new URL("./child.js", import.meta.url))
const longestMs = 20_000

const stops = await collectStops(join(folder, "script.db"))

describe("crash points of SQLite under SIGKILL", { concurrency: availableParallelism() }, () => {
  for (const stop of stops) {
    const isCommitting = stop.moments.some(({ statements }) => statements.includes("COMMIT"))
    for (const moment of Object.keys(moments) as Moment[]) {
      // What commits nothing has no other moment than that after its answer, and else that is no other moment for the file.
      if (isCommitting === (moment === "answered")) continue
      it(`sqlite: ${shown(stop.call)}, ${moments[moment]}`, () => judgeKill(stop, moment))
    }
  }
})

async function judgeKill(stop: CallStops, moment: Moment): Promise<void> {
  const { call, atMs, known: events } = stop
  const message = `${shown(call)}, ${moments[moment]}`
  await withDatabase(join(folder, `${call.number}-${moment}`), stop.moments[0].files, async (path) => {
    await killed(path, stop, moment)
    const { rows, integrity } = await contentOf(path)
    equal(integrity, '["ok"]', message)
    equal(rows, moment === "uncommitted" ? stop.before : stop.after, message)
    await takeOver(sqliteAt(path), { atMs, events, underWay: call }, message)
  })
}

async function killed(path: string, { call, atMs }: CallStops, moment: Moment): Promise<void> {
  const args = [script, path, `${atMs}`, call.operation, JSON.stringify(call.request), moment]
  // Without what the test runner asks of its own processes: reading source maps would take longer than the call.
  const env = { ...process.env, NODE_OPTIONS: "" }
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"], timeout: longestMs })
  const ended = await new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })))
  deepEqual(ended, { code: null, signal: "SIGKILL" }, `${shown(call)}: expected the process to kill itself`)
}

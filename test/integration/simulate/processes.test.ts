// What a simulation says, and how long four real processes on one SQLite file take in real time, are the same within 5 %.

import { equal, ok } from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { connect, type Queue, simulate, type Task } from "../../../src/index.ts"
import { callApi, vendorApi } from "./call-api.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-simulate-processes-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const tasks = 330

async function started(url: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./child.js", import.meta.url)), url], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exit = new Promise<void>((resolve) => child.on("exit", () => resolve()))
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
  return async () => {
    child.kill("SIGTERM")
    await exit
  }
}

async function untilDone(queue: Queue): Promise<readonly Task[]> {
  for (;;) {
    const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(1_000))
    if ((await queue.counts()).completed === tasks) return (await queue.list({ limit: 1_000 })).tasks
    await waiting
  }
}

function timeOf(at: Date | null): number {
  return at?.getTime() ?? 0
}

describe("a simulation agrees with four real processes", () => {
  it("that share one rate, within 5 %", { timeout: 120_000 }, async () => {
    const url = `sqlite:${join(folder, "q.db")}`
    const queue = await connect(url)
    const stops = await Promise.all([1, 2, 3, 4].map(() => started(url)))
    const submitted = await queue.submitMany(
      callApi,
      Array.from({ length: tasks }, (_, i) => i),
    )
    const done = await untilDone(queue)
    for (const stop of stops) await stop()
    await queue.close()
    const tookMs = Math.max(...done.map(({ completedAt }) => timeOf(completedAt))) - timeOf(submitted[0]?.createdAt ?? null)
    // As long as half of them really took: a lognormal tail would be one of this machine's stalls.
    const durations = done.map(({ startedAt, completedAt }) => timeOf(completedAt) - timeOf(startedAt)).sort((a, b) => a - b)
    const told = simulate({ tasks, limits: [vendorApi], duration: `${durations[tasks / 2]}ms`, concurrency: 40 }).endMs ?? 0
    equal(done.length, tasks)
    ok(Math.abs(told - tookMs) <= tookMs * 0.05, `${told} ms were told, ${tookMs} ms it took`)
  })
})

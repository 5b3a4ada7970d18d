// The command line on a store with one damaged value: people look at what they have with it, so it ends as it always does, and what
// cannot be told is told to be damaged.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import fc from "fast-check"
import { errorTable } from "../../src/errors/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { CommandLine } from "../integration/cli/command-line.ts"
import { runs } from "../property/runs.ts"
import { damage, damageFile } from "./damage.ts"
import { makeFullStore } from "./full-store.ts"
import { assertReadable } from "./refusal.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-damaged-cli-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const full = await makeFullStore()
const all = [...full.statuses.keys()]
let made = 0

const { store_damaged, not_found, unknown_limit, illegal_transition } = errorTable
/** The name or the status of something may be what was damaged. */
const exitCodes = [0, ...[store_damaged, not_found, unknown_limit, illegal_transition].map(({ exitCode }) => exitCode)]

const looks: readonly (readonly string[])[] = [
  ...[["list"], ["list", "--json"], ["list", "--tag", "nightly"], ["counts"], ["doctor"], ["forecast"], ["now"], ["sweep"]],
  ...[
    ["limits", "ls"],
    ["limits", "history"],
    ["limits", "ls", "--json"],
  ],
  ...["vendor", "vendor/k1", "counted", "refilled/k8"].map((target) => ["limits", "show", target]),
  ...[
    ["limits", "pause", "vendor/k1"],
    ["submit", "-t", "call", "--gate", "vendor/k1"],
    ["retry", full.ids.broken ?? ""],
  ],
]
const aboutOne = ["get", "status", "explain", "history"]

/** The row that was damaged, where it is a task's, and another one. */
async function tell(path: string, ids: readonly string[]): Promise<void> {
  const world = new VirtualWorld({ startMs: full.nowMs })
  const line = new CommandLine({ world, env: { SLUICE_STORE: `sqlite:${path}?durability=normal` } })
  for (const argv of [...looks, ...ids.flatMap((id) => aboutOne.map((command) => [command, id]))]) {
    const { exitCode, stderr } = await line.sluice(...argv)
    assert.ok(exitCodes.includes(exitCode), `sluice ${argv.join(" ")} ended with ${exitCode}: ${stderr}`)
    for (const told of stderr.split("\n")) if (told !== "") assertReadable(told)
  }
}

describe("fuzz: the command line on damaged records", () => {
  it("ends with a code of the table, and names what is damaged", async () => {
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(), async (one, pick) => {
        const path = join(folder, `c${made++}.db`)
        writeFileSync(path, full.file)
        const damaged = await damageFile(path, one)
        const own = damaged?.table === "tasks" ? (all[all.length - Number(damaged.key)] ?? "") : ""
        try {
          if (damaged) await tell(path, [own, all[pick % all.length] ?? ""])
        } catch (error) {
          throw new Error(`${JSON.stringify(damaged)}: ${(error as Error).message}`, { cause: error })
        } finally {
          for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
        }
      }),
      { numRuns: runs(8) },
    )
  })
})

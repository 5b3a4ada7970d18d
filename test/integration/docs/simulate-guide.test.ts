// What the guide to simulations shows works: its programs as they stand, with only the store replaced, and its command line.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineLimit } from "../../../src/index.ts"
import { CommandLine } from "../cli/command-line.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-simulate-guide-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const guide = readFileSync("docs/guides/simulate.md", "utf8")
const reference = readFileSync("docs/reference/cli.md", "utf8")
const [inCode = "", stored = ""] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code)

/** Below the package's own folder, so that "sluice" means this package. */
function outputOf(name: string, program: string): string {
  const file = resolve(".build", `${name}.ts`)
  writeFileSync(file, program)
  const { stdout, stderr, status } = spawnSync(process.execPath, [resolve("node_modules/jiti/lib/jiti-cli.mjs"), file], {
    encoding: "utf8",
    timeout: 60_000,
  })
  assert.equal(status, 0, stderr)
  return stdout
}

describe("the guide to simulations", () => {
  it("shows a simulation in code", () => {
    // Half of the tasks are for one host, which gets no more than one a second.
    assert.match(outputOf("simulate-guide", inCode), /^7\d{6} \{ limit: 'hosts', by: 'rate', share: 0\.\d+ \}/)
  })

  it("shows what so many more would take with a store", async () => {
    const url = `sqlite:${join(folder, "guide.db")}`
    const queue = await connect(url)
    const { name, policy } = defineLimit("vendor-api", { rate: "1000/1s", provider: "sliding" })
    await queue.store.hello({ workerId: null, types: [], limits: [{ name, policy }] })
    await queue.close()
    assert.ok(stored.includes("sqlite:./sluice.db"))
    assert.match(outputOf("simulate-guide-stored", stored.replace("sqlite:./sluice.db", url)), /^done 20\d\d-\d\d-\d\dT[\d:.]+Z\n$/)
  })

  it("shows what the command line prints", { timeout: 120_000 }, async () => {
    const shown = (page: string) => /```sh\n(sluice simulate --tasks 100000 --limit "vendor-api.*)\n((?:#.*\n)+)```/.exec(page) ?? []
    const [, command = "", output = ""] = shown(reference)
    const argv = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "").slice(1)
    const { lines } = await new CommandLine().sluice(...argv)
    assert.deepEqual(
      output
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^# ?/, "")),
      lines,
    )
    const [, inGuide = "", some = ""] = shown(guide)
    assert.equal(inGuide, command)
    for (const line of some.trimEnd().split("\n")) if (line !== "# …") assert.ok(output.includes(line), line)
  })
})

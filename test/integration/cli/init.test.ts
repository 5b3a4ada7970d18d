// sluice init writes three files to begin with, and nothing over what is there. What they do is shown by the tutorial's test.

import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { loadTasks } from "../../../src/worker/index.ts"
import { CommandLine } from "./command-line.ts"

let folder = ""
beforeEach(() => {
  // Below the package's own folder, so that "sluice" means this package.
  folder = mkdtempSync(join(process.cwd(), ".build", "init-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("sluice init", () => {
  it("writes a limit, a task and a program, and says what to do next", async () => {
    const { exitCode, stdout } = await new CommandLine({ cwd: folder }).sluice("init")
    assert.equal(exitCode, 0)
    assert.deepEqual(readdirSync(folder).sort(), ["limits.ts", "submit.ts", "tasks.ts"])
    assert.match(stdout, /^Wrote limits\.ts, tasks\.ts, submit\.ts\.\n\n {2}npx jiti submit\.ts /)
    const [task] = await loadTasks(join(folder, "tasks.ts"))
    assert.equal(task?.type, "call_api")
  })

  it("writes nothing over what is there", async () => {
    writeFileSync(join(folder, "submit.ts"), "mine")
    const { exitCode, stderr } = await new CommandLine({ cwd: folder }).sluice("init")
    assert.equal(exitCode, 2)
    assert.match(stderr, /^sluice: init: expected no submit\.ts in .*; move it away, or begin in another folder\. Nothing was written\n$/)
    assert.deepEqual([readdirSync(folder), readFileSync(join(folder, "submit.ts"), "utf8")], [["submit.ts"], "mine"])
  })

  it("tells what it wrote as JSON", async () => {
    const said = await new CommandLine({ cwd: folder }).sluice("init", "--json")
    assert.deepEqual(said.json(), { files: ["limits.ts", "tasks.ts", "submit.ts"] })
  })

  it("says where it cannot write", async () => {
    const { exitCode, stderr } = await new CommandLine({ cwd: join(tmpdir(), "not", "there") }).sluice("init")
    assert.equal(exitCode, 2)
    assert.match(stderr, /init: expected to write .*limits\.ts, but ENOENT/)
  })
})

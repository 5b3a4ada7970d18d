// A worker in curl and shell completes tasks through the API, with a token; a command that fails is tried again.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { installed } from "../engines/packages.ts"
import { findProgram } from "../engines/programs.ts"
import { adminToken, stage } from "./kit.ts"

const script = fileURLToPath(new URL("../../../examples/shell-worker/worker.sh", import.meta.url))
const places = ["/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin"]

function need(program: string): void {
  const look = () => findProgram([program], places)
  if (look() === null) installed({ name: program, packages: [program], others: `or your system's package ${program}` }, look)
}

describe("the worker in shell", () => {
  it("claims, runs and settles tasks that were submitted by name", async (t) => {
    for (const program of ["curl", "jq"]) need(program)
    const server = await stage({ token: adminToken })
    t.after(server.close)
    const { id } = await server.queue.submit("word_count", "one two three")
    const other = await server.queue.submit("word_count", { not: "text" })
    const env = { ...process.env, SLUICE_URL: server.server.url, SLUICE_TOKEN: adminToken, SLUICE_TASKS: "2" }
    const { stdout } = await promisify(execFile)(script, ["word_count", "wc", "-w"], { env })
    assert.deepEqual(stdout.trim().split("\n"), [`${id} completed`, `${other.id} completed`])
    const task = await server.queue.get(id)
    assert.equal(String(task?.output).trim(), "3")
    assert.match(task?.workerId ?? "shell-", /^shell-/)
  })

  it("gives back what its command could not do", async (t) => {
    for (const program of ["curl", "jq"]) need(program)
    const server = await stage()
    t.after(server.close)
    const { id } = await server.queue.submit("broken", {})
    const env = { ...process.env, SLUICE_URL: server.server.url, SLUICE_TASKS: "1" }
    const { stdout } = await promisify(execFile)(script, ["broken", "sh", "-c", "echo no; exit 3"], { env })
    assert.equal(stdout.trim(), `${id} pending`)
    const task = await server.queue.get(id)
    assert.deepEqual([task?.retryCount, task?.lastError], [1, "exit code 3: no"])
  })
})

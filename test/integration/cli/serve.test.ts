// `sluice serve` as people start it: it says where it is, serves what they asked for, leaves an audit line for each change, and ends in good order.

import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { adminToken, ask, readToken } from "../../http/kit.ts"
import { type SluiceProcess, Workplace } from "./sluice-process.ts"

const store = ["--store", "sqlite:./queue.db"]
const portOf = async (server: SluiceProcess) => Number((await server.said(/at http:\/\/127\.0\.0\.1:(\d+)/))[1])

describe("sluice serve", () => {
  it("serves a file to this machine, tells of each change, and stops at SIGTERM", async (t) => {
    const place = new Workplace()
    t.after(() => place.remove())
    const server = place.start("serve", "--port", "0", "--log", "json", ...store)
    const port = await portOf(server)
    const { id } = (await ask(port, "/api/v1/tasks", { body: { task_type: "mail", input: { secret: "hunter22" } } })).json<{ id: string }>()
    const [line] = await server.said(/^\{.*"event": "audit".*\}$/m)
    const { at, ...told } = JSON.parse(line) as Record<string, unknown>
    assert.match(String(at), /^20\d\d-.*Z$/)
    assert.deepEqual(told, {
      ...{ level: "info", event: "audit", operation: "POST /api/v1/tasks", by: "admin", client: "127.0.0.1" },
      ...{ namespace: "default", task_type: "mail", result: "ok" },
    })
    const listed = await place.sluice("list", "--json", "--store", `http://127.0.0.1:${port}`)
    assert.match(listed.stdout, new RegExp(id))
    assert.match((await ask(port, "/")).text, /<!doctype html>/i)
    server.child.kill("SIGTERM")
    const { exitCode, stdout, stderr } = await server.ended
    assert.equal(exitCode, 0)
    assert.match(stdout, /^serving namespace "default" of sqlite:.*queue\.db at http:\/\/.*, for this machine alone; Ctrl-C stops it$/m)
    assert.ok(!stderr.includes("hunter22"))
  })

  it("takes tokens from files, and metrics as they were asked for", async (t) => {
    const place = new Workplace()
    t.after(() => place.remove())
    writeFileSync(join(place.folder, "token"), `${adminToken}\n`, { mode: 0o600 })
    writeFileSync(join(place.folder, "read"), readToken, { mode: 0o600 })
    const tokens = ["--token-file", "token", "--read-token-file", "read"]
    const server = place.start("serve", "--port", "0", ...tokens, "--metrics-keys", "--near-expiration", "2h", ...store)
    const port = await portOf(server)
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    const hello = { worker_id: "w", task_types: [{ task_type: "mail", limits: ["smtp"] }], limits: [{ name: "smtp", rate: "5/1s" }] }
    const task = { task_type: "mail", gates: ["smtp/host-1"], ttl: "1h" }
    assert.equal((await ask(port, "/api/v1/hello", { body: hello, ...as(adminToken) })).status, 200)
    assert.equal((await ask(port, "/api/v1/tasks", { body: task, ...as(readToken) })).status, 403)
    assert.equal((await ask(port, "/api/v1/tasks", { body: task, ...as(adminToken) })).status, 201)
    assert.equal((await ask(port, "/metrics")).status, 401)
    const { text } = await ask(port, "/metrics", as(readToken))
    assert.match(text, /^sluice_gate_utilisation\{limit="smtp",key="host-1"\} 0$/m)
    assert.match(text, /^sluice_tasks_near_expiration\{task_type="mail"\} 1$/m)
  })

  it("says that the port is taken, in one line", async (t) => {
    const place = new Workplace()
    t.after(() => place.remove())
    const port = await portOf(place.start("serve", "--port", "0", ...store))
    const { exitCode, stdout, stderr } = await place.sluice("serve", "--port", String(port), ...store)
    assert.deepEqual([exitCode, stdout], [2, ""])
    assert.match(
      stderr,
      /^sluice: serve: expected to listen on 127\.0\.0\.1 port \d+: another program listens there; take another --port\n$/,
    )
  })
})

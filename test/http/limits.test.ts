// What is too much is refused, and costs little: bodies, requests a second, waiting, and whatever no schema knows.

import assert from "node:assert/strict"
import { once } from "node:events"
import { Agent, createServer } from "node:http"
import { type AddressInfo, createConnection } from "node:net"
import { describe, it } from "node:test"
import { type LogLine, serve } from "../../src/http/index.ts"
import { connect } from "../../src/queue/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type Answer, stage } from "./kit.ts"

const codeOf = (answer: Answer) => `${answer.status} ${answer.json<{ error: { code: string } }>().error.code}`

describe("what is too much", () => {
  it("a body above the bound is refused unread, whether it tells its length or not", async (t) => {
    const server = await stage({ maxBodyBytes: "1KiB" })
    t.after(server.close)
    const large = JSON.stringify({ task_type: "a", input: "x".repeat(2_000) })
    assert.equal(codeOf(await server.ask("/api/v1/tasks", { text: large })), "413 request_too_large")
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 4; i++) controller.enqueue(new TextEncoder().encode(large.slice(i * 600, (i + 1) * 600)))
        controller.close()
      },
    })
    const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" } as RequestInit
    assert.equal((await fetch(`${server.server.url}/api/v1/tasks`, init)).status, 413)
    assert.equal((await server.queue.list()).tasks.length, 0)
  })

  it("headers above the bound are refused unread", async (t) => {
    const server = await stage()
    t.after(server.close)
    const status = async (bytes: number) => (await server.ask("/healthz", { headers: { "x-long": "y".repeat(bytes) } })).status
    assert.deepEqual([await status(8_000), await status(17_000)], [200, 431])
  })

  it("connections above the bound are not taken; one that ends makes room", { timeout: 60_000 }, async (t) => {
    const server = await stage({ maxConnections: 2 })
    t.after(server.close)
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
    t.after(() => agents.map((agent) => agent.destroy()))
    for (const agent of agents) assert.equal((await server.ask("/healthz", { agent })).status, 200)
    await assert.rejects(server.ask("/healthz"), { code: /^(ECONNRESET|EPIPE)$/ })
    assert.equal((await server.ask("/healthz", { agent: agents[0] as Agent })).status, 200, "those who were there stay")
    agents[1]?.destroy()
    while ((await server.server.openConnections()) > 1) await new Promise<void>((resolve) => setImmediate(resolve))
    assert.equal((await server.ask("/healthz")).status, 200)
  })

  it("an input above what the queue takes is refused with its own code", async (t) => {
    const server = await stage()
    t.after(server.close)
    assert.equal(codeOf(await server.ask("/api/v1/tasks", { body: { task_type: "a", input: "x".repeat(300_000) } })), "413 input_too_large")
  })

  it("requests above the rate of one client are refused until its bucket has filled", async (t) => {
    const server = await stage({ requestsPerSecond: 5 })
    t.after(server.close)
    const answers = await Promise.all(Array.from({ length: 30 }, () => server.ask("/api/v1/counts")))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length >= 10, `expected most to be refused, got ${refused.length}`)
    assert.equal(codeOf(refused[0] as Answer), "429 too_many_requests")
    assert.match(String(refused[0]?.headers["retry-after"]), /^[1-9]\d*$/)
  })

  it("hostile bodies are refused, and nothing is stored", async (t) => {
    const server = await stage()
    t.after(server.close)
    const texts = [
      ...[
        "",
        "{",
        "null",
        "[]",
        '"x"',
        "1e999",
        '{"task_type": 1}',
        '{"task_type": ""}',
        '{"task_type": "a b"}',
        '{"task_type": "a", "x": 1}',
      ],
      ...[
        '{"task_type": "a", "input": {"__proto__": {"admin": true}}}',
        '{"task_type": "a", "input": "\\u0000"}',
        '{"task_type": "a", "input": "\\ud800"}',
      ],
      ...[
        '{"task_type": "a", "ttl": "1 fortnight"}',
        '{"task_type": "a", "priority": 1e300}',
        '{"task_type": "a", "gates": [[]]}',
        '{"__proto__": {"task_type": "a"}}',
      ],
      ...[
        '{"task_type": "a", "max_retries": -1}',
        '{"task_type": "a", "tags": ["x", 1]}',
        `{"task_type": "a", "input": ${"[".repeat(500)}${"]".repeat(500)}}`,
      ],
    ]
    for (const text of texts) {
      const { status } = await server.ask("/api/v1/tasks", { text, method: "POST" })
      assert.equal(status, 400, text.slice(0, 80))
    }
    const latin = Buffer.from([0x22, 0xff, 0x22]).toString("latin1")
    assert.equal((await server.ask("/api/v1/tasks", { text: latin, method: "POST" })).status, 400)
    assert.equal((await server.queue.list()).tasks.length, 0)
  })

  it("numbers beyond bounds, parameters twice and paths elsewhere are refused", async (t) => {
    const server = await stage()
    t.after(server.close)
    const paths = {
      "/api/v1/tasks?limit=0": 400,
      "/api/v1/tasks?limit=1001": 400,
      "/api/v1/tasks?limit=1e3&limit=1": 400,
      "/api/v1/tasks?cursor=zzz": 400,
      "/api/v1/tasks?days=99999999999": 400,
      "/api/v1/tasks?status=nonsense": 400,
      "/api/v1/events?tasks=": 200,
      "/api/v1/schedules/nightly?count=100000": 400,
      "/api/v1/tasks/..%2f..%2fetc%2fpasswd": 404,
      "/assets/..%2f..%2fpackage.json": 404,
      "/assets/%2e%2e/index.js": 404,
      "/api/v1/nowhere": 404,
    }
    for (const [path, status] of Object.entries(paths)) {
      if (status === 200) continue
      assert.equal((await server.ask(path)).status, status, path)
    }
    assert.equal(codeOf(await server.ask("/api/v1/counts", { method: "DELETE" })), "405 method_not_allowed")
  })

  it("what is no HTTP ends the connection and nothing else", async (t) => {
    const server = await stage()
    t.after(server.close)
    for (const garbage of [
      "\u0000\u0001\u0002\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
    ]) {
      const said = await new Promise<string>((resolve) => {
        const socket = createConnection(server.server.port, "127.0.0.1", () => socket.write(garbage))
        let text = ""
        socket.on("data", (chunk) => {
          text += chunk
        })
        socket.on("close", () => resolve(text))
        socket.on("error", () => resolve(text))
      })
      assert.match(said, /^(HTTP\/1\.1 4\d\d|$)/)
    }
    assert.equal((await server.ask("/healthz")).status, 200)
  })
})

describe("a change", () => {
  it("leaves an audit line that says who, what and whether, and has no payload", async (t) => {
    const lines: LogLine[] = []
    const server = await stage({ log: (line) => lines.push(line) })
    t.after(server.close)
    await server.ask("/api/v1/tasks", { body: { task_type: "mail", input: { secret: "hunter22" } } })
    await server.ask("/api/v1/limits/nobody/pause", { body: {} })
    await server.ask("/api/v1/counts")
    assert.deepEqual(
      lines.map(({ level, event, fields }) => [level, event, fields.operation, fields.by, fields.client, fields.result]),
      [
        ["info", "audit", "POST /api/v1/tasks", "admin", "127.0.0.1", "ok"],
        ["info", "audit", "POST /api/v1/limits/{name}/pause", "admin", "127.0.0.1", "unknown_limit"],
      ],
    )
    assert.ok(!JSON.stringify(lines).includes("hunter22"))
  })

  it("what nobody expected is told to the log, and to the client that it happened", async (t) => {
    const lines: LogLine[] = []
    const server = await stage({ log: (line) => lines.push(line) })
    t.after(server.close)
    server.queue.store.counts = () => Promise.reject(new Error("a secret of the inside"))
    const answer = await server.ask("/api/v1/counts")
    assert.deepEqual([answer.status, answer.json<{ error: { code: string } }>().error.code], [500, "internal"])
    assert.ok(!answer.text.includes("secret"))
    assert.match(String(lines[0]?.fields.error), /a secret of the inside/)
  })
})

describe("a server", () => {
  it("serves other namespaces where it may, each with tasks of its own", async (t) => {
    const openNamespace = (namespace: string) => connect("memory:shared-by-namespaces", { namespace })
    const queue = await openNamespace("default")
    const server = await serve(queue, { port: 0, openNamespace })
    t.after(() => server.close())
    const other = await connect(server.url, { namespace: "other" })
    await other.submit("mail", {})
    assert.deepEqual([(await other.counts()).pending, (await queue.counts()).pending], [1, 0])
    await other.close()
  })

  it("ends what waits when it is closed, and says that it is gone", async () => {
    const server = await stage()
    const store = (await connect(server.server.url)).store
    const waiting = store.wait({ workerId: "w" }, new AbortController().signal)
    await store.now({})
    await server.close()
    await waiting
    await assert.rejects(store.now({}), { code: "store_unavailable", message: /the connection broke/ })
  })

  it("keeps nothing of a worker that is gone while it waits for a task", { timeout: 60_000 }, async (t) => {
    // Time stands still: nothing but the end of the connection can end the wait.
    const server = await stage({}, { world: new VirtualWorld() })
    t.after(server.close)
    const { news } = server.server.app.realms.default.watcher
    const agent = new Agent()
    const body = { worker_id: "w", claim: { task_types: ["none"] }, wait: "60s" }
    const gone = assert.rejects(server.ask("/api/v1/exchange", { agent, body }))
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    while (news.waiting < 1) await turn()
    agent.destroy()
    await gone
    while (news.waiting > 0 || (await server.server.openConnections()) > 0) await turn()
  })

  it("that is no Sluice server, or that wants a token, says so when one connects", async (t) => {
    const server = await stage({ token: "0123456789abcdef0123456789abcdef" })
    t.after(server.close)
    await assert.rejects(connect(server.server.url), { code: "store_denied", message: /check SLUICE_TOKEN/ })
    const open = await stage({})
    t.after(open.close)
    await assert.rejects(connect(open.server.url, { namespace: "another" }), {
      code: "store_denied",
      message: /expected "default", the namespace of this server, got "another"; name that one, or start it with --any-namespace$/,
    })
    await assert.rejects(connect("http://127.0.0.1:1"), { code: "store_unavailable" })
    const other = createServer((_request, response) => response.setHeader("content-type", "application/json").end('{"hello": "world"}'))
    t.after(() => other.close())
    await once(other.listen(0, "127.0.0.1"), "listening")
    await assert.rejects(connect(`http://127.0.0.1:${(other.address() as AddressInfo).port}`), {
      code: "not_a_database",
      message: /expected a Sluice server to answer, got another program/,
    })
    await assert.rejects(connect(`${server.server.url.replace("http://", "http://me:secret@")}`), {
      code: "invalid_option",
      message: /expected no token in the URL/,
    })
    await assert.rejects(connect(`${server.server.url}?token=x`), { code: "invalid_option", message: /SLUICE_TOKEN/ })
  })
})

// Plain HTTP over kept connections: whole answers, and errors for those that are not.

import { deepEqual, equal, rejects } from "node:assert/strict"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { it } from "node:test"
import { type HttpAsked, HttpLine } from "../../../src/world/http-line.ts"

async function withServer<T>(answer: RequestListener, run: (at: URL) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    return await run(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/there?a=b`))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const asked = (more: Partial<HttpAsked> = {}): HttpAsked => ({
  ...{ method: "GET", headers: {}, body: null, signal: new AbortController().signal },
  ...more,
})

it("an answer comes whole, whatever pieces and status it comes in, and a redirect is one", async () => {
  const line = new HttpLine()
  const body = Buffer.alloc(300_000, "x")
  await withServer(
    (from, to) => {
      const chunks: Buffer[] = []
      from.on("data", (chunk: Buffer) => chunks.push(chunk))
      from.on("end", () => {
        to.writeHead(307, { location: "/elsewhere", asked: `${from.method} ${from.url} ${from.headers["x-told"]}` })
        to.end(Buffer.concat(chunks))
      })
    },
    async (at) => {
      const answer = await line.send(at, asked({ method: "PUT", headers: { "x-told": "this" }, body }))
      equal(answer.status, 307)
      equal(answer.headers.get("asked"), "PUT /there?a=b this")
      equal(answer.headers.get("none"), null)
      deepEqual(Buffer.from(answer.body), body)
      equal((await line.send(at, asked({ method: "HEAD" }))).body.length, 0)
    },
  )
  line.close()
})

it("connections are kept", async () => {
  const line = new HttpLine()
  const seen = new Set<unknown>()
  await withServer(
    (from, to) => {
      seen.add(from.socket)
      to.end("yes")
    },
    async (at) => {
      for (let i = 0; i < 5; i++) await line.send(at, asked())
      equal(seen.size, 1)
    },
  )
  line.close()
})

it("an answer that breaks off in the middle is none", async () => {
  const line = new HttpLine()
  await withServer(
    (_, to) => {
      to.writeHead(200, { "content-length": "100" })
      to.write("half")
      to.socket?.end()
    },
    async (at) => {
      await rejects(line.send(at, asked()))
    },
  )
  await rejects(line.send(new URL("http://127.0.0.1:1/"), asked()), /ECONNREFUSED/)
  line.close()
})

it("who ends a request gets his reason, before it was sent, before its answer and in the middle of it", async () => {
  const line = new HttpLine()
  const late = new AbortController()
  await withServer(
    (from, to) => {
      if (from.url === "/begun") {
        to.writeHead(200, { "content-length": "100" })
        to.write("half")
      }
      setTimeout(() => late.abort(new Error("late")), 10)
    },
    async (at) => {
      await rejects(line.send(at, asked({ signal: AbortSignal.abort(new Error("ended")) })), /ended/)
      await rejects(line.send(at, asked({ signal: late.signal })), /late/)
      const begun = new AbortController()
      const answer = line.send(new URL("/begun", at), asked({ signal: begun.signal }))
      setTimeout(() => begun.abort(new Error("enough")), 50)
      await rejects(answer, /enough/)
    },
  )
  line.close()
})

it("a deadline ends even what has no connection any more", async () => {
  const line = new HttpLine()
  const late = new AbortController()
  const server = createServer()
  server.on("connection", (socket) => {
    socket.on("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n")
    })
    socket.on("error", () => {})
    // Whoever has asked for no other protocol closes the line, and tells nobody.
    socket.on("close", () => late.abort(new Error("late")))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  await rejects(line.send(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), asked({ signal: late.signal })), /late/)
  server.closeAllConnections()
  server.close()
  line.close()
})

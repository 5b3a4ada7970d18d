// Every route × every guard: no token, a bad one, one that may only look, a foreign Host, a page of another, a wrong content type. The
// table of routes is walked, so a route that is forgotten cannot be unguarded.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { httpApp, serve } from "../../src/http/index.ts"
import type { Route } from "../../src/http/route.ts"
import { routes } from "../../src/http/routes/index.ts"
import { connect } from "../../src/queue/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type Asking, adminToken, readToken, type Stage, stage } from "./kit.ts"

const pathOf = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, "x")
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const asMethod = ({ method }: Route): Asking => ({ method: method.toUpperCase(), ...(method === "get" ? {} : { text: "{}" }) })
const named = (route: Route) => `${route.method.toUpperCase()} ${route.path}`

describe("every route", () => {
  let server: Stage
  before(async () => {
    server = await stage({ token: adminToken, readToken })
  })
  after(() => server.close())

  const statusOf = async (route: Route, headers: Record<string, string>) => {
    const answer = await server.ask(pathOf(route), { ...asMethod(route), headers })
    const code = answer.status >= 400 ? answer.json<{ error: { code: string } }>().error.code : "ok"
    return `${answer.status} ${code}`
  }

  for (const route of routes) {
    const isStream = route.media === "text/event-stream"
    it(`${named(route)} is guarded`, async () => {
      assert.equal(await statusOf(route, { ...bearer(adminToken), host: "evil.test" }), "421 wrong_host")
      assert.equal(await statusOf(route, { host: "evil.test" }), "421 wrong_host", "the Host goes before the token")
      if (route.access === "anyone") return
      assert.equal(await statusOf(route, {}), "401 unauthorized")
      for (const bad of ["x", `${adminToken}x`, adminToken.slice(1), ""])
        assert.equal(await statusOf(route, bearer(bad)), "401 unauthorized")
      assert.equal(await statusOf(route, { authorization: adminToken }), "401 unauthorized", "a token is sent as a bearer")
      const asReader = isStream ? null : await statusOf(route, bearer(readToken))
      if (route.access === "admin") assert.equal(asReader, "403 forbidden")
      else assert.notEqual(asReader?.slice(0, 3), "403")
    })

    it(`${named(route)} ${route.method === "get" ? "changes nothing" : "takes JSON alone, and nothing from pages of others"}`, async () => {
      if (route.method === "get") {
        assert.equal(route.isAudited ?? false, false)
        assert.equal(route.body, undefined)
        return
      }
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", ""])
        assert.equal(await statusOf(route, { ...bearer(adminToken), "content-type": type }), "415 unsupported_media_type", type)
      for (const site of ["cross-site", "same-site"])
        assert.equal(await statusOf(route, { ...bearer(adminToken), "sec-fetch-site": site }), "403 forbidden")
      assert.equal(await statusOf(route, { ...bearer(adminToken), origin: "https://evil.test" }), "403 forbidden")
    })
  }

  it("and whatever else it answers is for its own hosts alone: the page, its files, and what is not there", async () => {
    const page = await server.ask("/")
    const files = [...page.text.matchAll(/(?:src|href)="\/?(assets\/[^"]+)"/g)].map(([, file]) => `/${file}`)
    assert.ok(files.length >= 2, `expected a page with a script and a style, got ${page.text}`)
    for (const path of ["/", ...files]) {
      assert.equal((await server.ask(path)).status, 200, path)
      assert.equal((await server.ask(path, { method: "POST", text: "{}", headers: bearer(adminToken) })).status, 404, path)
    }
    for (const path of ["/", ...files, "/nowhere", "/assets/nowhere.js"])
      assert.equal((await server.ask(path, { headers: { ...bearer(adminToken), host: "evil.test" } })).status, 421, path)
  })

  it("has no token in its URL: one there is refused, and helps nobody", async () => {
    const answer = await server.ask(`/api/v1/counts?token=${adminToken}`)
    assert.equal(answer.status, 401)
    const known = await server.ask(`/api/v1/counts?token=${adminToken}`, { headers: bearer(adminToken) })
    assert.deepEqual([known.status, known.json<{ error: { code: string } }>().error.code], [400, "invalid_option"])
  })

  it("answers with the headers that keep pages apart, and none that let others in", async () => {
    for (const path of ["/api/v1/counts", "/nowhere", "/", "/metrics"]) {
      const { headers } = await server.ask(path, { headers: { ...bearer(adminToken), origin: "https://evil.test" } })
      assert.equal(headers["x-content-type-options"], "nosniff", path)
      assert.equal(headers["x-frame-options"], "DENY", path)
      assert.match(String(headers["content-security-policy"]), /default-src 'none'.*frame-ancestors 'none'/, path)
      assert.equal(headers["set-cookie"], undefined)
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith("access-control")),
        [],
      )
    }
  })

  it("the page's policy has a nonce of its own each time, and nothing unsafe", async () => {
    const policies = await Promise.all([1, 2].map(async () => String((await server.ask("/")).headers["content-security-policy"])))
    const nonces = policies.map((policy) => /script-src 'nonce-([0-9a-f]{32})'/.exec(policy)?.[1])
    assert.ok(nonces[0] && nonces[1] && nonces[0] !== nonces[1])
    assert.doesNotMatch(policies[0] ?? "", /unsafe|\*|https?:/)
  })

  it("a namespace is named by the header alone, and only where the server serves it", async () => {
    const other = await server.ask("/api/v1/counts", { headers: { ...bearer(adminToken), "sluice-namespace": "other" } })
    assert.deepEqual([other.status, other.json<{ error: { code: string } }>().error.code], [403, "forbidden"])
    const inner = await server.ask("/api/v1/tasks", { body: { task_type: "a", namespace: "other" }, headers: bearer(adminToken) })
    assert.equal(inner.status, 400)
    assert.match(inner.text, /Unrecognized key: \\"namespace\\"/)
  })
})

describe("a bind", () => {
  const refusal = { code: "invalid_option" }

  it("beyond this machine is refused without a token", async () => {
    const queue = await connect("memory:")
    for (const host of ["0.0.0.0", "::", "192.168.1.1", "example.com"])
      await assert.rejects(serve(queue, { port: 0, host }), { ...refusal, message: /expected a token for anything beyond this machine/ })
  })

  it("is on loopback by default", async (t) => {
    const { server, close } = await stage()
    t.after(close)
    assert.equal(server.host, "127.0.0.1")
  })

  it("with a token may be anywhere, and is called by the names it was given", async (t) => {
    const { ask, close } = await stage({ host: "0.0.0.0", token: adminToken, hosts: ["queue.example.com"] })
    t.after(close)
    const statusAs = async (host: string) => (await ask("/api/v1/counts", { headers: { ...bearer(adminToken), host } })).status
    assert.deepEqual(
      await Promise.all(["queue.example.com", "QUEUE.example.com:8400", "localhost:1", "127.0.0.1"].map(statusAs)),
      [200, 200, 200, 200],
    )
    assert.deepEqual(await Promise.all(["example.com", "queue.example.com.evil.test", "evil.test:8400"].map(statusAs)), [421, 421, 421])
  })
})

describe("a server without the dashboard", () => {
  it("sends no page, and has nothing to do while nobody asks", async (t) => {
    const world = new VirtualWorld()
    const { ask, close } = await stage({ dashboard: false }, { world })
    t.after(close)
    assert.deepEqual(
      await Promise.all(["/", "/assets/main.js", "/api/v1/counts"].map(async (path) => (await ask(path)).status)),
      [404, 404, 200],
    )
    assert.equal(world.armedTimers, 0)
  })
})

describe("a token", () => {
  it("of less than 128 bits is refused, and never quoted", async () => {
    const queue = await connect("memory:")
    for (const token of [
      "short",
      "0123456789abcdef0123456789abcde",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "with space in it, and long enough so",
    ]) {
      const refused = await httpApp(queue, { token }).then(
        () => null,
        (error: Error & { code: string }) => error,
      )
      assert.equal(refused?.code, "invalid_option")
      assert.match(refused?.message ?? "", /at least 128 bits/)
      assert.ok(!refused?.message.includes(token))
    }
  })

  it("that may look is another than the one that may do everything, and not alone", async () => {
    const queue = await connect("memory:")
    await assert.rejects(httpApp(queue, { token: adminToken, readToken: adminToken }), { code: "invalid_option" })
    await assert.rejects(httpApp(queue, { readToken }), { code: "invalid_option" })
  })
})

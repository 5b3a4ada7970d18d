// The other side of the stories: an HTTP server in a process of its own that imports nothing of Sluice. It counts each request when it
// arrives, refuses with 429 what exceeds its limits, and remembers what it has seen. `GET /_seen` tells.
//
// A request is POST or GET /route/key/id, where the route's limits are counted for the route or for each key. Its query says how the other
// side is to behave: ?notReady=2 answers 202 the first two times, ?refuse=1 refuses the first time (somebody else has used up the
// quota), ?hang=1 never answers, ?status=500 answers with that, ?tokens=300 costs so many tokens.
import { createServer } from "node:http"
import { AtOnce, SlidingWindow } from "./counting.mjs"

const { routes, mostRequests = 100_000 } = JSON.parse(process.argv[2])
const seen = new Map(Object.keys(routes).map((name) => [name, { requests: 0, refused: 0, windows: new Map(), atOnce: new Map() }]))
const times = new Map()
let all = 0

function kept(map, name, make) {
  if (!map.has(name)) map.set(name, make())
  return map.get(name)
}

/** How often this has happened before to this very request. */
function timesBefore(what, path) {
  const before = times.get(`${what} ${path}`) ?? 0
  times.set(`${what} ${path}`, before + 1)
  return before
}

function windowsOf(route, key, counters) {
  return (route.limits ?? []).map((rule) => {
    const of = rule.by === "key" ? key : "all"
    const unit = rule.unit ?? "requests"
    return { unit, window: kept(counters.windows, `${unit} ${of}`, () => new SlidingWindow(rule)) }
  })
}

function refusal({ says = "retry-after" }, waitMs) {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)))
  if (says === "retry-after") return { "retry-after": seconds }
  return says === "quota" ? { "x-ratelimit-remaining": "0", "x-ratelimit-reset": seconds } : {}
}

function answer(request, response) {
  const { pathname, searchParams: asked } = new URL(request.url, "http://provider")
  const [, name, key = ""] = pathname.split("/")
  if (name === "_seen") return send(response, 200, {}, whatWasSeen())
  const route = routes[name]
  request.resume()
  if (!route || ++all > mostRequests) return send(response, 500, {}, { error: route ? "too many requests for a story" : "no such route" })
  const counters = seen.get(name)
  counters.requests++

  const atOnce = kept(counters.atOnce, route.atOnceBy === "key" ? key : "all", () => new AtOnce(route.atOnce))
  const mayEnter = atOnce.enter()
  const leave = whenGone(request.socket, () => atOnce.leave())
  const [atMs, tokens] = [performance.now(), Number(asked.get("tokens") ?? 1)]
  const windows = windowsOf(route, key, counters)
  const costs = windows.map(({ unit }) => (unit === "tokens" ? tokens : 1))
  const waits = windows.map(({ window }, i) => window.ask(atMs, costs[i]))
  const isRefused = !mayEnter || waits.some((wait) => wait !== null)
  const isTakenByOthers = !isRefused && timesBefore("refused", request.url) < Number(asked.get("refuse") ?? 0)
  const reply = (status, headers, body) => {
    leave()
    send(response, status, headers, body)
  }
  if (isRefused || isTakenByOthers) {
    counters.refused++
    return reply(429, refusal(route, Math.max(0, ...waits)), { error: "too many requests" })
  }
  for (const [i, { window }] of windows.entries()) window.serve(atMs, costs[i])
  if (asked.has("hang")) return
  const status = timesBefore("not ready", request.url) < Number(asked.get("notReady") ?? 0) ? 202 : Number(asked.get("status") ?? 200)
  setTimeout(() => reply(status, {}, { path: pathname, usage: { total_tokens: tokens } }), route.answerMs ?? 10)
}

/** A caller that is gone before the answer is no longer being served. The end of its stream comes before anything that it sends afterwards. */
function whenGone(socket, leave) {
  const events = ["end", "error", "close"]
  const once = () => {
    for (const event of events) socket.off(event, once)
    leave()
  }
  for (const event of events) socket.on(event, once)
  return once
}

function send(response, status, headers, body) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

function whatWasSeen() {
  return Object.fromEntries(
    [...seen].map(([name, { requests, refused, windows, atOnce }]) => [
      name,
      {
        requests,
        refused,
        mostAtOnce: Math.max(0, ...[...atOnce.values()].map(({ most }) => most)),
        /** By what is counted and for whom: "requests guild-1". */
        mostInWindow: Object.fromEntries([...windows].map(([counted, { most }]) => [counted, most])),
      },
    ]),
  )
}

const server = createServer(answer)
// Connections outlive the pauses of a story: none is closed at the moment that somebody sends on it.
server.keepAliveTimeout = 120_000
server.listen(0, "127.0.0.1", () => process.send(`http://127.0.0.1:${server.address().port}`))
process.on("disconnect", () => process.exit())

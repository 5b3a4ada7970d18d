// Many providers behind real HTTP, as a process of its own: the first part of a path names the provider, the second one the task that
// asks. Keeps a log of what it has counted. Its own file beside emulator/http-server.mjs because it logs times, and because a scaled
// provider tells a Retry-After in its own whole seconds: rounded up to whole seconds here, it would be wrong by minutes there.
import { createServer } from "node:http"
import { listen } from "../../limits-http/listen.mjs"
import { nowMs } from "../../limits-http/now.mjs"
import { createNetwork } from "../emulator/network.mjs"
import { createProvider } from "../emulator/provider.mjs"

/** `providers`: by name, what createProvider takes. With a `scale` of 20 an hour of such a provider passes in three minutes. */
const { providers, network, mostRequests } = JSON.parse(process.argv[2])
const { oneWayMs } = createNetwork(network)
const byName = new Map(
  Object.entries(providers).map(([name, { scale, ...options }]) => [name, { provider: createProvider(options), scale }]),
)
const log = []

function answer(request, response) {
  const [, name, id] = request.url.split("/")
  const found = byName.get(name)
  if (!found) return response.writeHead(404).end()
  const { provider, scale } = found
  request.resume()
  // Delays are the network's, so they are scaled like all time there.
  setTimeout(() => {
    const countedAtMs = nowMs()
    const { status, headers, body } = provider.receive({ atMs: countedAtMs * scale })
    if (log.length >= mostRequests) throw new Error(`server: expected at most ${mostRequests} requests`)
    log.push({ name, id, status, countedAtMs })
    setTimeout(() => response.writeHead(status, here(headers, scale)).end(body), oneWayMs() / scale)
  }, oneWayMs() / scale)
}

function here({ "retry-after": seconds, date: _date, ...headers }, scale) {
  return seconds === undefined ? headers : { ...headers, "retry-after": (Number(seconds) / scale).toFixed(3) }
}

process.on("message", ({ kind }) => {
  if (kind === "log") process.send({ kind: "log", log })
})
listen(createServer(answer))

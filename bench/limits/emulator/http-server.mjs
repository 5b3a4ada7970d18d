// The providers behind real HTTP, as a process of its own: `node http-server.mjs '<json>'`, or started with an IPC channel. The JSON has
// `provider` (what createProvider takes) or `providers` by host name, and may have `network` (what createNetwork takes; no delay
// without) and `scale`. With a scale of 20 an hour of the provider passes in three minutes; headers tell real time all the same.
// Tells where it listens as a message, or as a line of JSON where there is no channel. `GET /_stats` tells what was counted.
import { createServer } from "node:http"
import { createNetwork, noNetwork } from "./network.mjs"
import { createProvider } from "./provider.mjs"

const { provider, providers = {}, network = noNetwork, scale = 1 } = JSON.parse(process.argv[2])
const { oneWayMs } = createNetwork(network)
const single = provider ? createProvider({ ...provider, scale }) : null
const byHost = new Map(Object.entries(providers).map(([host, options]) => [host, createProvider({ ...options, scale })]))

/** Real time that never goes back, in ms of the provider. */
const nowMs = () => (performance.timeOrigin + performance.now()) * scale

function answer(request, response) {
  const found = single ?? byHost.get(request.headers.host?.split(":")[0])
  if (!found) return response.writeHead(404).end()
  request.resume()
  if (request.url === "/_stats") return response.end(JSON.stringify({ atMs: nowMs(), ...found.stats() }))
  after(oneWayMs(), () => count(found, request, response))
}

function count(found, request, response) {
  const cost = Number(request.headers["x-cost"] ?? 1)
  const mostCost = Number(request.headers["x-most-cost"] ?? cost)
  const key = decodeURIComponent(request.url.split("/", 2)[1].split("?")[0])
  const { status, headers, body } = found.receive({ atMs: nowMs(), key, cost, mostCost })
  if (status !== 0) after(oneWayMs(), () => response.writeHead(status, headers).end(body))
}

/** Delays are the network's, so they are scaled like all time here. */
const after = (ms, run) => (ms === 0 ? run() : setTimeout(run, ms / scale))

const server = createServer(answer)
server.keepAliveTimeout = 120_000
server.listen({ host: "127.0.0.1", port: 0, backlog: 4_096 }, () => {
  const { port } = server.address()
  const told = { kind: "listening", port, url: `http://127.0.0.1:${port}` }
  if (process.send) process.send(told)
  else console.log(JSON.stringify(told))
})
process.on("disconnect", () => process.exit())

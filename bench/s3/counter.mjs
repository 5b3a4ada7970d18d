// Between the subjects and the server, a process of its own: counts requests and bytes by verb, and holds every answer back by so many
// milliseconds, as a far server does. Asked for its counts it tells them and begins anew.
import { createServer, request } from "node:http"

const { port } = JSON.parse(process.argv[2])
let delayMs = 0
let counts = {}
let bytes = { sent: 0, received: 0 }

const verbOf = ({ method, url }) => (method === "GET" && url.includes("list-type=2") ? "LIST" : method)

const server = createServer({ keepAliveTimeout: 60_000 }, (asked, answer) => {
  const verb = verbOf(asked)
  counts[verb] = (counts[verb] ?? 0) + 1
  asked.on("data", (chunk) => {
    bytes.sent += chunk.length
  })
  const { method, url: path, rawHeaders: headers } = asked
  const onward = request({ host: "127.0.0.1", port, method, path, headers, setHost: false }, (from) => {
    const reply = () => {
      answer.writeHead(from.statusCode, from.rawHeaders)
      from.on("data", (chunk) => {
        bytes.received += chunk.length
      })
      from.pipe(answer)
    }
    if (delayMs > 0) setTimeout(reply, delayMs)
    else reply()
  })
  onward.on("error", () => answer.destroy())
  asked.pipe(onward)
})

process.on("message", (told) => {
  if (told.delayMs !== undefined) delayMs = told.delayMs
  process.send({ counts, bytes })
  counts = {}
  bytes = { sent: 0, received: 0 }
})
process.on("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))

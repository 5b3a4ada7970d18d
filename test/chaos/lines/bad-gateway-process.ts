// Passes requests on to the server and answers back; some it answers itself with 503 (busy) or 409 (a conflict, half of them after the
// request was carried out), of some it carries out the request and hangs up.

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface BadGatewaySettings {
  readonly port: number
  /** Shares of all requests. */
  readonly busy: number
  readonly conflict: number
  readonly lost: number
}

process.on("disconnect", () => process.exit())
const { port, busy, conflict, lost } = JSON.parse(process.argv[2] ?? "{}") as BadGatewaySettings

function refuse(asked: IncomingMessage, answer: ServerResponse, status: number, code: string): void {
  asked.resume()
  answer.writeHead(status, { date: new Date().toUTCString() }).end(`<Error><Code>${code}</Code></Error>`)
}

function passOn(asked: IncomingMessage, answer: ServerResponse, answered: (from: IncomingMessage) => void): void {
  const { method, url, rawHeaders } = asked
  const onward = request({ host: "127.0.0.1", port, method, path: url, headers: rawHeaders as never, setHost: false }, answered)
  onward.on("error", () => answer.destroy())
  asked.on("error", () => onward.destroy())
  asked.pipe(onward)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (asked, answer) => {
  const isCreate = asked.headers["if-none-match"] === "*"
  const roll = Math.random()
  if (roll < busy) return refuse(asked, answer, 503, "SlowDown")
  if (roll < busy + conflict / 2 && isCreate) return refuse(asked, answer, 409, "ConditionalRequestConflict")
  passOn(asked, answer, (from) => {
    if (roll < busy + conflict && isCreate) {
      from.resume()
      answer.writeHead(409).end("<Error><Code>ConditionalRequestConflict</Code></Error>")
    } else if (roll >= busy + conflict && roll < busy + conflict + lost) {
      from.resume()
      answer.destroy()
    } else {
      answer.writeHead(from.statusCode ?? 502, from.rawHeaders as never)
      from.pipe(answer)
    }
  })
})
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }))

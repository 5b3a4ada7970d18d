// The other side as a real HTTP server on a port that the system chooses. It says when a request has come and when its caller is gone.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Respond = (request: IncomingMessage, response: ServerResponse) => void

export interface HttpSide {
  readonly url: string
  /** The paths that it was asked for. */
  readonly paths: string[]
  /** The next request that comes. */
  arrived(): Promise<void>
  /** The next request whose caller goes away before it has the whole answer. */
  abandoned(): Promise<void>
  close(): Promise<void>
}

export async function httpSide(respond: Respond): Promise<HttpSide> {
  const paths: string[] = []
  const waiting: Readonly<Record<"arrived" | "abandoned", (() => void)[]>> = { arrived: [], abandoned: [] }
  const tell = (what: keyof typeof waiting) => {
    for (const resolve of waiting[what].splice(0)) resolve()
  }
  const server = createServer((request, response) => {
    paths.push(request.url ?? "")
    response.on("close", () => {
      if (!response.writableFinished) tell("abandoned")
    })
    request.resume()
    respond(request, response)
    tell("arrived")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const next = (what: keyof typeof waiting) => new Promise<void>((resolve) => waiting[what].push(resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    arrived: () => next("arrived"),
    abandoned: () => next("abandoned"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function answering(status: number, headers: Readonly<Record<string, string>> = {}, body: unknown = {}): Respond {
  return (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** Each request takes the next, and the last one again and again. */
export function inTurn(...answers: readonly Respond[]): Respond {
  let asked = 0
  return (request, response) => answers[Math.min(asked++, answers.length - 1)]?.(request, response)
}

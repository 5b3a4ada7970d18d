// Metrics of a process that has no server of its own, such as a worker: one path, for this machine alone.

import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { errorTable, isSluiceError } from "../../errors/index.ts"
import { Hosts, securityHeaders } from "../guards.ts"
import { listening } from "../listening.ts"
import type { Metrics } from "./index.ts"

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

const mostConnections = 64

export async function startMetricsServer(metrics: Metrics, port: number): Promise<MetricsServer> {
  const hosts = new Hosts([])
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, async (request, response) => {
    try {
      hosts.check(request.headers.host ?? null)
      const isKnown = request.method === "GET" && request.url === "/metrics"
      const text = isKnown ? await metrics.text() : "expected GET /metrics\n"
      response
        .writeHead(isKnown ? 200 : 404, { ...securityHeaders, "content-type": isKnown ? metrics.contentType : "text/plain" })
        .end(text)
    } catch (error) {
      response.writeHead(isSluiceError(error) ? errorTable[error.code].httpStatus : 500, securityHeaders).end()
    }
  })
  server.maxConnections = mostConnections
  await listening(server, port, "127.0.0.1")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    close: () => closed(server),
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

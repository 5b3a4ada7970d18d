// A server of its own: `sluice serve`, or `serve(queue)` in a program. It listens on loopback unless there is a token to show.

import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { SluiceError, shown } from "../errors/index.ts"
import type { Queue } from "../queue/index.ts"
import { sleep } from "../world/index.ts"
import { HttpApp } from "./app.ts"
import { isLoopback } from "./guards.ts"
import { listening } from "./listening.ts"
import { type HttpOptions, type HttpSettings, httpDefaults, httpSettings } from "./server-options.ts"

export interface ServeOptions extends HttpOptions {
  /** 8400 if not given; 0 takes one that is free. */
  readonly port?: number
  /** "127.0.0.1" if not given. Anything beyond this machine needs a token. */
  readonly host?: string
  /** Opens other namespaces than that of the queue, which are served then as well. */
  readonly openNamespace?: (namespace: string) => Promise<Queue>
}

/** Milliseconds that a connection may be idle between requests. Longer than clients keep theirs, so that none is closed under a request. */
const idleMs = 65_000
const headersMs = 10_000
const headerBytes = 16 * 1_024
/** What is under way when it is closed gets this long. */
const graceMs = 5_000

export class SluiceServer {
  readonly app: HttpApp
  readonly host: string
  readonly port: number
  private readonly server: Server
  private readonly queue: Queue

  constructor(app: HttpApp, server: Server, queue: Queue, host: string) {
    this.app = app
    this.server = server
    this.queue = queue
    this.host = host
    this.port = (server.address() as AddressInfo).port
  }

  /** For people and programs on this machine. */
  get url(): string {
    const host = this.host === "0.0.0.0" || this.host === "::" ? "127.0.0.1" : this.host
    return `http://${host.includes(":") ? `[${host}]` : host}:${this.port}`
  }

  /** Connections that are open now, those of streams included. */
  openConnections(): Promise<number> {
    return new Promise((resolve, reject) => this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
  }

  /** Streams and long polls end at once; what else is under way has a moment to finish. The queue stays open. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    const overdue = new AbortController()
    await Promise.race([this.app.close(), sleep(this.queue.world, graceMs, overdue.signal)])
    overdue.abort()
    this.server.closeAllConnections()
    await closed
  }
}

export async function serve(queue: Queue, options: ServeOptions = {}): Promise<SluiceServer> {
  const { port = httpDefaults.port, host = httpDefaults.host, openNamespace, ...others } = options
  const settings = httpSettings("serve", others)
  checkPort(port)
  checkBind(host, settings)
  const hosts = isLoopback(host) ? settings.hosts : [...settings.hosts, host.includes(":") ? `[${host}]` : host]
  const { namespace } = await queue.describe()
  const app = new HttpApp({ queue, namespace, open: openNamespace ?? null, settings: { ...settings, hosts } })
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: headersMs,
      requestTimeout: settings.requestTimeoutMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: 5_000,
    },
    getRequestListener((request, bindings) => app.fetch(request, bindings as HttpBindings), { overrideGlobalObjects: false }),
  )
  server.maxConnections = settings.maxConnections
  await listening(server, port, host)
  app.start()
  return new SluiceServer(app, server, queue, host)
}

function checkPort(port: unknown): void {
  if (typeof port === "number" && Number.isInteger(port) && port >= 0 && port <= 65_535) return
  throw new SluiceError("invalid_option", `serve: port: expected a whole number from 0 to 65535, got ${shown(port)}`)
}

/** What is open to others without a token is open to everybody: that is never meant. */
function checkBind(host: string, { token }: HttpSettings): void {
  if (typeof host !== "string" || host === "")
    throw new SluiceError("invalid_option", `serve: host: expected an address, got ${shown(host)}`)
  if (token !== null || isLoopback(host)) return
  throw new SluiceError(
    "invalid_option",
    `serve: host: expected a token for anything beyond this machine, got ${shown(host)} without one; set SLUICE_TOKEN or --token-file, or leave the host out`,
  )
}

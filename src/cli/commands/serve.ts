// sluice serve: the HTTP API, the dashboard and metrics, until it is told to stop.

import type { Command } from "commander"
import type { ServeOptions } from "../../http/index.ts"
import { httpDefaults, httpReaders } from "../../http/server-options.ts"
import { connect } from "../../queue/index.ts"
import { formatSize, wholeNumber } from "../../units/index.ts"
import { define } from "../define.ts"
import { asNumber, collect, type Given, readFlag } from "../flags.ts"
import { httpLog } from "../http-log.ts"
import { addMetricsFlags, metricsOptions } from "../metrics-flags.ts"
import type { Session } from "../session.ts"
import { tokenFrom } from "../token.ts"
import { logForm } from "../work-log.ts"

export function addServe(program: Command, session: Session): void {
  const command = define(program, {
    usage: "serve",
    summary: "Serve the HTTP API, the dashboard and metrics",
    details:
      "Without a token it listens to this machine alone. Tokens come from a file or from the environment: SLUICE_TOKEN may do everything, SLUICE_READ_TOKEN may look.",
    examples: [
      "sluice serve --store sqlite:./sluice.db",
      "sluice serve --port 8400 --host 0.0.0.0 --token-file ./token --allow-host queue.example.com",
      "SLUICE_STORE=http://127.0.0.1:8400 sluice counts",
    ],
  })
    .option("--port <n>", `The port to listen on; 0 takes one that is free (default: ${httpDefaults.port})`)
    .option("--host <address>", `The address to listen on; beyond this machine only with a token (default: ${httpDefaults.host})`)
    .option("--token-file <file>", "The file with the token that may do everything (env SLUICE_TOKEN_FILE, or SLUICE_TOKEN itself)")
    .option("--read-token-file <file>", "The file with a token that may look (env SLUICE_READ_TOKEN_FILE, or SLUICE_READ_TOKEN itself)")
    .option("--allow-host <name>", "A name that this server is called by, beside localhost; may be repeated", collect)
    .option("--any-namespace", "Serve other namespaces of the store too, as the header Sluice-Namespace says")
    .option("--no-dashboard", "Serve the API and metrics alone")
    .option("--redact <path>", "A path that is not shown, such as input.password; may be repeated", collect)
    .option("--max-body-bytes <size>", `The largest body of a request (default: ${formatSize(httpDefaults.maxBodyBytes)})`)
    .option("--max-streams <n>", `Live views that are open at once (default: ${httpDefaults.maxStreams})`)
    .option("--max-connections <n>", `Connections that are open at once (default: ${httpDefaults.maxConnections})`)
    .option("--requests-per-second <n>", `Requests a second of one client (default: ${httpDefaults.requestsPerSecond})`)
    .option("--log <form>", 'How it tells of changes: "text" or "json" (env SLUICE_LOG; default: text for a terminal, else json)')
  addMetricsFlags(command).action((given: Given) => serveUntilStopped(session, given))
}

async function serveUntilStopped(session: Session, given: Given): Promise<void> {
  const options = await optionsOf(session, given)
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const letGo = session.io.onSignal(() => stop())
  try {
    await session.withQueue(async (queue) => {
      const { serve } = await import("../../http/index.ts")
      const others = given.anyNamespace === true ? { openNamespace: (namespace: string) => openQueue(session, namespace) } : {}
      const server = await serve(queue, { ...options, ...others, log: httpLog(session, logForm(session, given.log)) })
      tellStarted(session, server.url, options)
      await stopped
      await server.close()
    })
  } finally {
    letGo()
  }
}

function openQueue(session: Session, namespace: string) {
  return connect(session.storeUrl, { namespace, world: session.io.world })
}

function tellStarted(session: Session, url: string, { token }: ServeOptions): void {
  if (session.isJson) session.printJson({ event: "server.started", url, has_token: token !== undefined })
  else session.print(`serving ${session.place} at ${url}${token === undefined ? ", for this machine alone" : ""}; Ctrl-C stops it`)
}

async function optionsOf(session: Session, given: Given): Promise<ServeOptions> {
  const number = (flag: string, least: number, most: number) => readFlag(given, flag, asNumber, wholeNumber(least, most))
  const token = await tokenFrom(session.io, "--token-file", given.tokenFile, ["SLUICE_TOKEN_FILE", "SLUICE_TOKEN"])
  const readToken = await tokenFrom(session.io, "--read-token-file", given.readTokenFile, ["SLUICE_READ_TOKEN_FILE", "SLUICE_READ_TOKEN"])
  const all = {
    port: number("port", 0, 65_535),
    host: given.host as string | undefined,
    token: token === null ? undefined : httpReaders.token("token", token),
    readToken: readToken === null ? undefined : httpReaders.readToken("read token", readToken),
    hosts: given.allowHost as string[] | undefined,
    // By commander's rule a flag that begins with no- is true unless it is given.
    dashboard: given.dashboard as boolean | undefined,
    redact: given.redact as string[] | undefined,
    maxBodyBytes: readFlag(given, "maxBodyBytes", asNumber, httpReaders.maxBodyBytes),
    maxStreams: number("maxStreams", 0, 100_000),
    maxConnections: number("maxConnections", 1, 1_000_000),
    requestsPerSecond: number("requestsPerSecond", 1, 1_000_000),
    metrics: metricsOptions(given),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ServeOptions
}

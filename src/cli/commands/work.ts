// sluice work: runs the tasks that a module exports until it is told to stop, and then gently.

import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { Command } from "commander"
import { SluiceError } from "../../errors/index.ts"
import type { MetricsServer } from "../../http/metrics/server.ts"
import { type AnyTask, type Queue, workerDefaults } from "../../queue/index.ts"
import { formatDuration, wholeNumber } from "../../units/index.ts"
import { loadTasks, type Worker, type WorkerOptions, workerReaders } from "../../worker/index.ts"
import { define } from "../define.ts"
import { asDuration, asNumber, asText, type Given, orWord, readFlag, readFlags } from "../flags.ts"
import { addMetricsFlags, metricsOptions } from "../metrics-flags.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { Stopper } from "../stopper.ts"
import { unhandledWaiting } from "../unhandled.ts"
import { stopWhenEmpty } from "../until-empty.ts"
import { Watched } from "../watched.ts"
import { logForm, tellEvents } from "../work-log.ts"

const shapes = {
  concurrency: asNumber,
  lease: asDuration,
  heartbeat: asDuration,
  sweep: asDuration,
  grace: asDuration,
  retention: orWord("never", asDuration),
  id: asText,
} as const

export function addWork(program: Command, session: Session): void {
  const command = define(program, {
    usage: "work <module>",
    summary: "Run the tasks that a module exports",
    details:
      "The module is TypeScript or JavaScript and exports what defineTask gives. SIGTERM or Ctrl-C drains: no more is claimed, running tasks have the grace to finish; a second one ends the grace.",
    examples: [
      "sluice work ./tasks.ts --concurrency 20 --store sqlite:./sluice.db",
      "sluice work ./tasks.js --until-empty --verbose",
      "sluice work ./tasks.ts --retention never --grace 5m",
    ],
  })
    .option("--concurrency <n>", `Tasks that run at once (default: ${workerDefaults.concurrency})`)
    .option(
      "--lease <duration>",
      `How long a task stays with a worker that is not heard of (default: ${formatDuration(workerDefaults.leaseMs)})`,
    )
    .option(
      "--heartbeat <duration>",
      `How often leases are renewed (default: ${formatDuration(workerDefaults.heartbeatMs)}, or a third of a shorter lease)`,
    )
    .option("--sweep <duration>", `How often lost and overdue tasks are looked for (default: ${formatDuration(workerDefaults.sweepMs)})`)
    .option(
      "--grace <duration>",
      `How long running tasks may take to finish once it drains (default: ${formatDuration(workerDefaults.graceMs)})`,
    )
    .option(
      "--retention <duration>",
      `How long finished tasks are kept, or "never" to remove none (default: ${formatDuration(workerDefaults.retentionMs)})`,
    )
    .option("--id <name>", 'The name in histories, "claimed by …" (default: from host and process)')
    .option("--no-schedules", "Fire no schedules; other workers do")
    .option("--until-empty", "End when no task of these types is pending or running")
    .option("--watch", "Start anew whenever code in the module's folder changes, or in those below it")
    .option("--metrics-port <n>", "Serve metrics for Prometheus at /metrics on this port, to this machine alone")
    .option("--log <form>", 'How it tells what happens: "text" or "json" (env SLUICE_LOG; default: text for a terminal, else json)')
    .option("--verbose", "One line for every task also where no terminal is looking, and the debug lines of handlers")
  addMetricsFlags(command).action((module: string, given: Given) => work(session, module, given))
}

async function work(session: Session, module: string, given: Given): Promise<void> {
  if (given.watch === true) {
    const path = pathOf(session, module)
    // Anything else would never load, however often it changes.
    if (!/\.[cm]?[jt]sx?$/.test(path) || !statSync(path).isFile())
      throw new SluiceError("invalid_module", `work: --watch: expected a file of tasks such as ./tasks.ts, got ${path}`)
    session.exitCode = await new Watched(session).run(path)
    return
  }
  const stopper = new Stopper(session)
  try {
    await Promise.race([runModule(session, stopper, module, given), stopper.abandoned])
  } finally {
    stopper.release()
  }
}

async function runModule(session: Session, stopper: Stopper, module: string, given: Given): Promise<void> {
  const options: WorkerOptions = {
    ...readFlags<WorkerOptions>(given, shapes, workerReaders),
    ...(given.schedules === false ? { schedules: false } : {}),
  }
  const tasks = await tasksIn(session, module)
  await session.withQueue(async (queue) => {
    const worker = queue.worker(tasks, options)
    const types = tasks.map((task) => task.type)
    const form = logForm(session, given.log)
    tellEvents(session, worker, { isVerbose: given.verbose === true, form })
    if (form === "text" && !session.isJson)
      for (const unhandled of await unhandledWaiting(queue, types)) session.note(`note: tasks wait, and ${plain(unhandled)}`)
    const metered = await serveMetrics(session, queue, worker, given)
    stopper.take(worker)
    const ended = new AbortController()
    const emptied = given.untilEmpty === true ? stopWhenEmpty(queue, worker, types, ended.signal) : null
    await worker.run().finally(() => ended.abort())
    await emptied
    await metered?.close()
  })
}

async function serveMetrics(session: Session, queue: Queue, worker: Worker, given: Given): Promise<MetricsServer | null> {
  const port = readFlag(given, "metricsPort", asNumber, wholeNumber(0, 65_535))
  if (port === undefined) return null
  // Loaded only where it is asked for.
  const { Metrics } = await import("../../http/metrics/index.ts")
  const { startMetricsServer } = await import("../../http/metrics/server.ts")
  const metrics = new Metrics(queue, metricsOptions(given))
  metrics.watch(worker)
  const server = await startMetricsServer(metrics, port)
  session.note(`metrics at ${server.url}`)
  return server
}

async function tasksIn(session: Session, module: string): Promise<AnyTask[]> {
  return loadTasks(pathOf(session, module))
}

function pathOf(session: Session, module: string): string {
  const path = resolve(session.io.cwd, module)
  // A typing mistake in the path is told apart from a module that exists and cannot be loaded.
  if (!existsSync(path))
    throw new SluiceError("invalid_module", `work: expected a module of tasks such as ./tasks.ts, found nothing at ${path}`)
  return path
}

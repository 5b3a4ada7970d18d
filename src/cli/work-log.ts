// What a worker on the command line says: a listener to its events. Well-being goes to stdout, what needs attention to
// stderr: as text for a terminal, else as a JSON document a line. With --json every event is one, all on stdout. Payloads are in none.

import { snakeCase } from "../queue/document.ts"
import { formatDuration, formatInstant, logFields, logText, oneOf } from "../units/index.ts"
import type { Worker, WorkerEvents } from "../worker/index.ts"
import { colourOf } from "./colour.ts"
import { jsonLine } from "./json-line.ts"
import { plain } from "./plain.ts"
import type { Session } from "./session.ts"

type Name = keyof WorkerEvents

const names = [
  "worker.started",
  "worker.draining",
  "worker.stopped",
  "task.claimed",
  "task.settled",
  "task.stale",
  "task.lost",
  "task.overrun",
  "task.log",
  "gate.cooling",
  "gate.paced",
  "schedule.fired",
  "schedule.failed",
  "sweep.done",
  "store.unavailable",
  "store.back",
] as const satisfies readonly Name[]

export interface LogOptions {
  /** One line for every task, and what handlers log for debugging. */
  readonly isVerbose: boolean
  readonly form: LogForm
}

export const logForms = ["text", "json"] as const
export type LogForm = (typeof logForms)[number]

/** What the flag says, else SLUICE_LOG, else what whoever reads along can read: a person at a terminal, a program elsewhere. */
export function logForm(session: Session, flag: unknown): LogForm {
  const { env, stdout } = session.io
  const said = flag ?? (env.SLUICE_LOG || undefined)
  return said === undefined ? (stdout.isTTY ? "text" : "json") : oneOf(...logForms)(flag === undefined ? "SLUICE_LOG" : "--log", said)
}

export function tellEvents(session: Session, worker: Worker, options: LogOptions): void {
  if (session.isJson || options.form === "json") tellAsJson(session, worker, options)
  else tellAsText(session, worker, options)
}

/** Of these there may be thousands a second. */
const ofEveryTask: ReadonlySet<Name> = new Set(["task.claimed", "task.settled", "schedule.fired", "sweep.done"])
const warnings: ReadonlySet<Name> = new Set([
  "task.stale",
  "task.lost",
  "task.overrun",
  "schedule.failed",
  "gate.cooling",
  "store.unavailable",
])

function tellAsJson(session: Session, worker: Worker, { isVerbose }: LogOptions): void {
  const isAll = session.isJson || isVerbose
  for (const name of names) {
    if (!isAll && ofEveryTask.has(name)) continue
    worker.on(name, (event) => {
      const level = "level" in event ? event.level : warnings.has(name) ? "warn" : "info"
      if (!isAll && level === "debug") return
      const line = { event: name, at: stamp(session), level, ...eventDocument(event), ...inSeconds(event) }
      if (session.isJson || !warnings.has(name)) session.printJson(line)
      else session.note(jsonLine(line))
    })
  }
}

/** What people who watch limits look for: whose it is, and delays in seconds. */
function inSeconds(event: object): Record<string, unknown> {
  if ("backoffMs" in event) return { backoff_seconds: (event.backoffMs as number) / 1_000 }
  if (!("gate" in event && "everyMs" in event)) return {}
  const [limit, ...key] = String(event.gate).split("/")
  return { limit, key: key.join("/"), delay_seconds: (event.everyMs as number) / 1_000 }
}

/** The names of a task's document, `task_type` among them. Values stay as they are: the fields that a handler logs are its own. */
function eventDocument(event: object): Record<string, unknown> {
  const name = (key: string) => (key === "type" ? "task_type" : snakeCase(key))
  const shownValue = (value: unknown) =>
    value instanceof Error ? value.message : value instanceof Date ? formatInstant(value.getTime()) : value
  const document = Object.fromEntries(Object.entries(event).map(([key, value]) => [name(key), shownValue(value)]))
  return "fields" in event && "message" in event
    ? { ...document, message: logText(event.message), fields: logFields(event.fields) }
    : document
}

function tellAsText(session: Session, worker: Worker, { isVerbose }: LogOptions): void {
  const isTalkative = isVerbose || session.io.stdout.isTTY
  const say = (word: string, text: string) => session.print(`${stamp(session)} ${session.paint(colourOf(word), word)} ${text}`.trimEnd())
  const warn = (text: string) => session.note(`${stamp(session)} warn ${text}`)
  let isAway = false

  worker.on("worker.started", ({ workerId, types }) => say("started", `worker ${workerId} for ${types.join(", ")} in ${session.place}`))
  worker.on("worker.draining", ({ running }) =>
    say("draining", describeRunning(running, session.io.stdout.isTTY ? "; Ctrl-C again ends the grace" : "")),
  )
  worker.on("worker.stopped", ({ workerId }) => say("stopped", `worker ${workerId}`))
  worker.on("task.log", ({ id, type, level, message, fields }) => {
    if (level === "debug" && !isVerbose) return
    const noted = Object.entries(logFields(fields)).map(([key, value]) => ` ${key}=${jsonLine(value)}`)
    say(level, plain(`${type} ${id} ${logText(message)}${noted.join("")}`))
  })
  if (isTalkative) {
    worker.on("task.settled", (event) => say(wordOf(event), describeSettled(event)))
    worker.on("schedule.fired", ({ name, scheduledAt, id }) => say("fired", `${name} of ${formatInstant(scheduledAt.getTime())} as ${id}`))
    worker.on("sweep.done", ({ rescued, expired, stopped, removed }) =>
      say("swept", `rescued ${rescued}, expired ${expired}, stopped ${stopped}, removed ${removed}`),
    )
  }
  worker.on("task.stale", ({ id, type, outcome }) => warn(`${type} ${id} ${outcome}, too late: another worker has it by now`))
  worker.on("task.lost", ({ id, type }) => warn(`${type} ${id} lost its lease and was stopped`))
  worker.on("task.overrun", ({ id, type, reason }) => warn(`${type} ${id} goes on after ${reason}; it should heed ctx.signal`))
  worker.on("schedule.failed", ({ name, error }) => warn(`schedule ${name} was not submitted: ${plain(error)}`))
  worker.on("gate.cooling", (event) => warn(describeCooling(event)))
  worker.on("gate.paced", (event) => say("paced", describePaced(event)))
  worker.on("store.unavailable", ({ error }) => {
    if (!isAway) warn(`the store does not answer, trying on: ${plain(error.message)}`)
    isAway = true
  })
  worker.on("store.back", ({ awayMs }) => {
    say("back", `the store answers again, after ${formatDuration(awayMs)}`)
    isAway = false
  })
}

function describeRunning(count: number, hint: string): string {
  if (count === 0) return "nothing is running"
  return `${count === 1 ? "1 task is running" : `${count} tasks are running`}${hint}`
}

/** What became of the task; where it is pending again, why. */
function wordOf({ status, outcome }: WorkerEvents["task.settled"]): string {
  return status === "pending" || status === "running" ? outcome : status
}

function describeSettled({ id, type, durationMs, error }: WorkerEvents["task.settled"]): string {
  return `${type} ${id} ${formatDuration(durationMs)}${error === null ? "" : ` ${plain(error)}`}`
}

function describePaced({ gate, everyMs, slots, errorStreak }: WorkerEvents["gate.paced"]): string {
  const pace = everyMs === 0 ? "no distance between starts" : `a start every ${formatDuration(Math.max(1, Math.round(everyMs)))}`
  const held = slots === null ? "" : `, ${slots} at once`
  return plain(`${gate}: ${pace}${held}${errorStreak === 0 ? "" : `, refused ${errorStreak} times in a row`}`)
}

function describeCooling({ id, type, limit, retryAfterMs, status }: WorkerEvents["gate.cooling"]): string {
  const said = [
    ...(status === null ? [] : [`status ${status}`]),
    ...(retryAfterMs === null ? [] : [`again after ${formatDuration(retryAfterMs)}`]),
  ]
  const whose = limit === null ? "its gates cool down" : `limit ${limit} cools down`
  return `${type} ${id} was too fast for the other side${said.length > 0 ? ` (${said.join(", ")})` : ""}: ${whose}`
}

function stamp(session: Session): string {
  return new Date(session.io.world.wallMs()).toISOString()
}

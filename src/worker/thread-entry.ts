// Runs inside the thread: loads the module, finds the task, runs its handler, and says what came of it.

import { parentPort, workerData } from "node:worker_threads"
import { SluiceError } from "../errors/index.ts"
import { checkInput } from "../queue/definition.ts"
import type { AnyLimit, CostOptions, FetchOptions, ObserveOptions, SpentOptions } from "../queue/index.ts"
import { readCost } from "../queue/limit.ts"
import { Task } from "../queue/task.ts"
import { logFields, logText, parseName, readOptions, toJson } from "../units/index.ts"
import { systemWorld } from "../world/index.ts"
import { loadTasks } from "./module.ts"
import { outcomeOfValue } from "./outcomes.ts"
import { type Noted, Requests, toAnswer } from "./requests.ts"
import { logTo, reschedule } from "./run-context.ts"
import { nameOf, Spending } from "./spending.ts"
import { errorFrom, messageFor, type PermitReply, type ThreadMessage, type ThreadStart } from "./thread.ts"

const { module, task, maxBytes } = workerData as ThreadStart
const say = (message: ThreadMessage) => parentPort?.postMessage(message)

const spending = new Spending(task)
const permits = new Map<number, (reply: PermitReply) => void>()
let asked = 0

parentPort?.on("message", (reply: PermitReply) => {
  const answered = permits.get(reply.number)
  permits.delete(reply.number)
  // A handler that waits for nothing ends its thread: only a permit that is under way keeps it.
  if (permits.size === 0) parentPort?.unref()
  answered?.(reply)
})
parentPort?.unref()

async function permit(limit: AnyLimit | string, options?: CostOptions): Promise<void> {
  const where = `task ${task.type}: ctx.permit`
  const { cost } = readOptions(where, options, { cost: readCost })
  await ask(parseName(`${where}: limit`, nameOf(limit)), cost ?? 1)
}

async function ask(limit: string | null, cost: number | null): Promise<void> {
  await answered(limit, cost)
  sentAtMs = systemWorld.monotonicMs()
}

function answered(limit: string | null, cost: number | null): Promise<void> {
  const number = ++asked
  say({ kind: "permit", number, limit, cost })
  parentPort?.ref()
  return new Promise((resolve, reject) => {
    permits.set(number, ({ error }) => (error === null ? resolve() : reject(errorFrom(error))))
  })
}

let sentAtMs = systemWorld.monotonicMs()
const host = {
  task,
  world: systemWorld,
  get sentAtMs() {
    return sentAtMs
  },
  permit: ask,
  note: (answer: Noted) => say({ kind: "heard", answer: toAnswer(answer, systemWorld.monotonicMs()) }),
}

async function run(): Promise<unknown> {
  const definition = (await loadTasks(module)).find(({ type }) => type === task.type)
  if (!definition)
    throw new SluiceError("unknown_task_type", `module ${module}: expected it to export the task ${task.type}, but it does not`)
  const view = new Task(task)
  // The thread is terminated when the run is asked to stop: a signal that cannot fire is all a blocked handler could use.
  const { signal } = new AbortController()
  const requests = new Requests(Object.assign(host, { signal }))
  const checked = await checkInput(definition, view.input)
  if (checked.kind === "refused") throw checked.error
  const context = {
    task: view,
    fence: task.fence,
    signal,
    log: logTo((level, message, fields) => say({ kind: "log", level, message: logText(message), fields: logFields(fields) })),
    progress: (value: unknown) => say({ kind: "progress", json: toJson("progress", value, maxBytes) }),
    reschedule,
    spent: (actual: number, options?: SpentOptions) => say({ kind: "spent", ...spending.note(actual, options) }),
    permit,
    fetch: (input: string | URL, init?: RequestInit, options?: FetchOptions) => requests.fetch(input, init, options),
    observe: (answer: unknown, options?: ObserveOptions) => requests.observe(answer, options),
    get queue(): never {
      throw new SluiceError(
        "invalid_option",
        `task ${task.type}: ctx.queue is not available with isolate: "thread"; connect inside the handler`,
      )
    },
  }
  return definition.run(checked.value as never, context as never)
}

function messageForValue(value: unknown): ThreadMessage {
  const outcome = outcomeOfValue(value, maxBytes)
  if (outcome.kind === "completed") return { kind: "value", json: outcome.output }
  return { kind: "error", message: outcome.error, isPermanent: true }
}

run().then(
  (value) => say(messageForValue(value)),
  (error) => say(messageFor(error)),
)

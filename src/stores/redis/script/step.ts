// One step inside the server: what KEYS and ARGV say, the operation on the records of the namespace, the answer. See
// docs/internals/redis.md for the wire.

import type { SubmitRequest } from "../../../store/contract.ts"
import { changing, endStep, getTasks, looking } from "../../../store/steps.ts"
import { answered } from "./answer.ts"
import { Context } from "./context.ts"
import { RedisRecords } from "./records.ts"
import { SluiceError, shown } from "./replaced/error.ts"
import { type SentExchange, wholeExchange } from "./sent-settle.ts"
import { cjson, redis } from "./server.ts"
import { shortExchange } from "./short/exchange.ts"
import { shortSubmit } from "./short/submit.ts"

type AnyStep = (records: RedisRecords, request: unknown) => unknown
type AnySteps = Readonly<Record<string, AnyStep | undefined>>

/** Of the step that runs, or ran last. */
let records: RedisRecords | null = null

/** Who does a step: the short way where there is one, else the engine; or only one of them, for tests that compare the two. */
export type Way = "either" | "engine" | "short"

export function run(this: void, keys: readonly string[], values: readonly string[]): readonly string[] {
  return runBy(keys, values, "either")
}

export function runBy(this: void, keys: readonly string[], values: readonly string[], way: Way): readonly string[] {
  try {
    return ran(keys[0] ?? "", values, way)
  } catch (error) {
    if (error instanceof SluiceError) return ["error", error.code, error.message]
    // What the server refuses for reasons of its own is the client's to understand.
    if (isReply(error) && !isOfValue(error.err)) throw error
    // Redis 7.0 comes down with a table that leaves a script without being an error of its own: a text does no harm.
    return ["error", "store_damaged", because(isReply(error) ? error.err : `${error}`)]
  }
}

/** Whether it only looks: such a one runs where there is no room for more. */
export function isLook(this: void, operation: string): boolean {
  return operation === "get" || (looking as AnySteps)[operation] !== undefined
}

/** The step has failed on something that it has read. */
function because(what: string): string {
  const task = records?.tasks.unsound() ?? null
  const record = task === null ? redis.latestKey() : `task ${shown(task)} (in ${redis.latestKey()})`
  return `${record}: expected what was written there, but the step failed on something else (${what})`
}

function ran(base: string, values: readonly string[], way: Way): readonly string[] {
  records = null
  const [operation = "", epoch = "", clock = "", request = "", sender = ""] = values
  const context = new Context(base, clock, sender)
  if (operation === "open") return ["ok", context.open(request)]
  if (context.epoch !== epoch) return ["lost"]
  const asked = cjson.decode(request)
  if (typeof asked !== "object") throw new SluiceError("store_damaged", `expected a request, got ${shown(asked)}`)
  const told = way === "engine" ? null : shortly(context, operation, asked)
  if (told) return told
  if (way === "short") return ["declined"]
  records = new RedisRecords(context)
  return step(records, operation, operation === "exchange" ? wholeExchange(asked as SentExchange) : asked)
}

/** Null where there is no short way for it. */
function shortly(context: Context, operation: string, asked: unknown): string[] | null {
  if (operation === "exchange") return shortExchange(context, asked as SentExchange)
  return operation === "submit" ? shortSubmit(context, asked as SubmitRequest) : null
}

/** What a command of the server has raised. */
function isReply(error: unknown): error is { readonly err: string } {
  return typeof error === "object" && typeof (error as { readonly err?: unknown }).err === "string"
}

/** It was refused for what stands under the key, or for what was read before and handed on. */
function isOfValue(reply: string): boolean {
  return ofValue.some((part) => reply.includes(part))
}

const ofValue = [
  ...["WRONGTYPE", "not an integer", "not a valid float", "not a float", "not a number", "out of range", "overflow"],
  ...["arguments must be strings or integers", "valid string range"],
]

function step(records: RedisRecords, operation: string, request: unknown): readonly string[] {
  const look = operation === "get" ? getOf : (looking as AnySteps)[operation]
  if (look) {
    const found = answered(look(records, request))
    records.endLook()
    return found
  }
  const change = (changing as AnySteps)[operation]
  if (!change) throw new SluiceError("store_damaged", `expected an operation of the contract, got "${operation}"`)
  if (operation === "submit") records.foresee((request as SubmitRequest).tasks)
  const answer = change(records, request)
  endStep(records)
  records.end()
  return answered(answer)
}

/** False stands for what is not there. */
function getOf(records: RedisRecords, request: unknown) {
  const { ids } = request as { readonly ids: readonly string[] }
  const { tasks, forecasts } = getTasks(records, ids)
  return { tasks: ids.map((id) => tasks.get(id) ?? false), forecasts: ids.map((id) => forecasts.get(id) ?? false) }
}

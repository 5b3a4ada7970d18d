// One step inside the server: what KEYS and ARGV say, the operation on the records of the namespace, the answer. See
// docs/internals/redis.md for the wire.

import { changing, endStep, getTasks, looking } from "../../../store/steps.ts"
import { answered } from "./answer.ts"
import { Context } from "./context.ts"
import { RedisRecords } from "./records.ts"
import { SluiceError } from "./replaced/error.ts"
import { cjson } from "./server.ts"

type AnyStep = (records: RedisRecords, request: unknown) => unknown
type AnySteps = Readonly<Record<string, AnyStep | undefined>>

export function run(this: void, keys: readonly string[], values: readonly string[]): readonly string[] {
  const [operation = "", epoch = "", clock = "", request = ""] = values
  const context = new Context(keys[0] ?? "", clock)
  if (operation === "open") return ["ok", context.open(request)]
  if (context.epoch !== epoch) return ["lost"]
  try {
    return step(new RedisRecords(context), operation, cjson.decode(request))
  } catch (error) {
    if (error instanceof SluiceError) return ["error", error.code, error.message]
    throw error
  }
}

function step(records: RedisRecords, operation: string, request: unknown): readonly string[] {
  const look = operation === "get" ? getOf : (looking as AnySteps)[operation]
  if (look) {
    const found = answered(look(records, request))
    records.endLook()
    return found
  }
  const change = (changing as AnySteps)[operation]
  if (!change) throw new SluiceError("store_damaged", `expected an operation of the contract, got "${operation}"`)
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

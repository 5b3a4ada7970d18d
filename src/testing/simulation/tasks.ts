// The tasks of a simulation: real definitions with handlers that take their time and end in every way there is. How a run goes is
// drawn from the task's number and its fence, so it is the same whoever runs it.

import { type AnyTask, type Context, defineTask } from "../../queue/index.ts"
import { PermanentError, RateLimitError, RescheduleError } from "../../task/index.ts"
import { sleep } from "../../world/index.ts"
import { Dice } from "../dice.ts"
import type { WriteFact } from "../recorded-store.ts"
import { leaseMs, type Plan } from "./plan.ts"
import type { SimulatedProcess } from "./process.ts"

export interface Input {
  readonly n: number
  readonly key: string
}

export const types = ["plain", "call", "hold", "both"] as const
export type SimulatedType = (typeof types)[number]

/** Definitions as the code of one process has them. */
export function tasksFor(plan: Plan, process: SimulatedProcess, write: WriteFact): Readonly<Record<SimulatedType, AnyTask>> {
  const { api, slots } = plan
  const run = async (input: Input, context: Context<Input>): Promise<number> => {
    const about = { task: context.task.id, fence: context.fence }
    write({ op: "run", phase: "start", ...about })
    try {
      return await handle(input, context, process, plan)
    } finally {
      write({ op: "run", phase: "end", ...about })
    }
  }
  const common = { maxRetries: 8, run }
  return {
    plain: defineTask("plain", common),
    call: defineTask("call", { ...common, limits: ({ key }: Input) => [api(key)], fairBy: ({ n }: Input) => `flow-${n % 3}` }),
    hold: defineTask("hold", { ...common, limits: ({ key }: Input) => [slots(key)] }),
    both: defineTask("both", {
      ...common,
      limits: ({ key, n }: Input) => [slots(key), api(key, { cost: 1 + (n % 2) })],
    }),
  }
}

/** A handler that hears of its end stops early, as a good one does; some do not listen. */
async function handle({ n }: Input, context: Context<Input>, process: SimulatedProcess, { api }: Plan): Promise<number> {
  const dice = new Dice(n * 7_919 + context.fence * 104_729)
  const isDeaf = dice.chance(0.1)
  const takesMs = dice.pick([0, 5, 50, 300, 1_000, 3_000, 1.5 * leaseMs])
  if (takesMs > 0) await sleep(process, takesMs, isDeaf ? undefined : context.signal)
  if (!isDeaf) context.signal.throwIfAborted()
  const passesApi = context.task.gates?.some((gate) => gate.startsWith(api.name)) ?? false
  const thrown = dice.random()
  if (thrown < 0.06) throw new Error("it went wrong")
  if (thrown < 0.08) throw new PermanentError("it stays wrong")
  if (thrown < 0.14) throw new RescheduleError({ delaySeconds: dice.pick([0, 0.5, 2]) })
  if (thrown < 0.18) throw new RateLimitError({ retryAfter: dice.pick(["300ms", "1500ms"] as const) })
  if (thrown < 0.24 && passesApi) await context.permit(api.name)
  if (thrown < 0.28 && passesApi) context.spent(0, { limit: api.name })
  if (thrown < 0.3) context.progress({ n })
  return n
}

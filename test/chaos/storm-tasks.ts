// The tasks of the storm: every way of counting, slots, two gates at once, none; and every way in which a run can end.
//
// Limits are wide enough that nobody waits for a window most of the time, and narrow enough that batches fill them: the checker
// says how many admissions it has counted.

import { type AnyTask, type Context, defineLimit, defineTask, PermanentError, RateLimitError } from "../../src/index.ts"
import type { WriteFact } from "../../src/testing/index.ts"
import { busyFor, noted } from "./handlers.ts"

/** `act` is what happens the first time; afterwards it completes. */
export interface StormInput {
  readonly ms: number
  readonly act: Act
  /** Of eight hosts or of four rooms. */
  readonly key: string
}

export const acts = ["complete", "retry", "reschedule", "throttle", "permit", "spend", "fail"] as const
export type Act = (typeof acts)[number]

const key = (input: StormInput) => input.key

const host = defineLimit("host", { rate: "8/1s", provider: "sliding", key })
const vendor = defineLimit("vendor", { rate: "90/2s", provider: "fixed" })
const pool = defineLimit("pool", { rate: { limit: 110, per: "1s", provider: "bucket", burst: 20 } })
const room = defineLimit("room", { concurrency: 4, key })
const either = defineLimit("either", { rate: "20/500ms", provider: "unknown", slack: "100ms", concurrency: 8 })

export const stormLimits = [host, vendor, pool, room, either]

export function stormTasks(write: WriteFact) {
  const run = (input: StormInput, context: Context<StormInput>) =>
    noted(write, context, async () => {
      await busyFor(input.ms, context)
      await act(input.act, context)
      return { key: input.key }
    })
  const common = { maxRetries: 50, timeout: "20s", run }
  return [
    defineTask<StormInput, unknown>("plain", common),
    defineTask<StormInput, unknown>("by-host", { ...common, limits: [host] }),
    defineTask<StormInput, unknown>("windowed", { ...common, limits: [vendor] }),
    // A run costs as much as it is long, at most 4.
    defineTask<StormInput, unknown>("metered", { ...common, limits: [pool], cost: ({ ms }) => Math.min(4, 1 + ms) }),
    defineTask<StormInput, unknown>("in-room", { ...common, limits: [room] }),
    defineTask<StormInput, unknown>("both", { ...common, limits: [room, either] }),
    // Longer than a lease: lives by its heartbeats.
    defineTask<StormInput, unknown>("long", common),
  ] as const satisfies readonly AnyTask[]
}

async function act(kind: Act, context: Context<StormInput>): Promise<void> {
  const { task } = context
  const limit = task.gates?.[0]?.split("/")[0]
  if (kind === "retry" && task.retryCount === 0) throw new Error("chaos: try me again")
  if (kind === "reschedule" && task.rescheduleCount === 0) context.reschedule("50ms")
  if (kind === "throttle" && task.throttleCount === 0) throw new RateLimitError({ retryAfter: "50ms" })
  if (kind === "fail") throw new PermanentError("chaos: never again")
  if (limit === undefined) return
  if (kind === "permit") await context.permit(limit)
  if (kind === "spend") context.spent(1, { limit })
}

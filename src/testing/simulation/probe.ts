// At rest every slot can be taken: what a store says it holds is one thing, what it lets through another.

import { type Limit, Queue, queueDefaults } from "../../queue/index.ts"
import type { Store } from "../../store/index.ts"
import type { World } from "../../world/index.ts"
import type { Violation } from "../checker/index.ts"

const type = "probe"

/** Nobody else may be at work. */
export async function probeSlots(store: Store, world: World, limit: Limit<string>, keys: readonly string[]): Promise<Violation[]> {
  const queue = new Queue(store, world, queueDefaults.maxInputBytes)
  const slots = limit.policy.concurrency ?? 0
  const room = (slots + 1) * keys.length
  // Where nobody happened to submit a task that passes it, nobody has declared it.
  await store.hello({ workerId: null, types: [], limits: [{ name: limit.name, policy: limit.policy }] })
  for (const key of keys) await queue.submitMany(type, Array(slots + 1).fill(null), { gates: [{ limit: limit.name, key }] })
  const claim = { number: 1, types: [{ type, room }], max: room }
  const { claimed } = await store.exchange({ workerId: "probe", settles: [], heartbeats: [], leaseMs: 60_000, claim })
  return keys.flatMap((key): Violation[] => {
    const taken = claimed.filter(({ gates }) => gates?.[0]?.key === key).length
    const about = `${limit.name}/${key}`
    return taken === slots
      ? []
      : [{ kind: "slot_leak", about, message: `gate ${about}: at rest ${taken} of ${slots} slots could be taken` }]
  })
}

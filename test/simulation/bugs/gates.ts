// Bugs in limits and in who waits for them.

import type { Bug } from "./bug.ts"

export const gateBugs: readonly Bug[] = [
  {
    name: "fixed window",
    like: "BullMQ, Hatchet: twice the limit passes where two windows meet",
    edits: [
      {
        file: "limits/rate.ts",
        find: `  if (policy.provider === "fixed") return emptyFixed(policy)`,
        replace: `  if (policy.provider !== "bucket") return emptyFixed(policy)`,
      },
    ],
  },
  {
    name: "counter released twice",
    like: "Solid Queue PR 761: whoever ends gives back a slot, whether it still has one or not",
    edits: [
      {
        file: "limits/gate.ts",
        find: `  const holders = state.holders.filter((holder) => holder.id !== id || holder.fence !== fence)
  if (holders.length === state.holders.length) return state`,
        replace: `  const own = state.holders.findIndex((holder) => holder.id === id && holder.fence === fence)
  const holders = state.holders.filter((_, i) => i !== Math.max(own, 0))`,
      },
    ],
  },
  {
    name: "check-then-act semaphore",
    like: "semaphores in a database: slots are counted, and taken a moment later",
    edits: [
      {
        file: "limits/gate.ts",
        find: `const holder: Holder = { id, fence, slots: slotsFor(policy, cost), untilUs }
`,
        replace: `const holder: Holder = { id, fence, slots: slotsFor(policy, cost), untilUs, sinceUs: nowUs } as never
`,
      },
      {
        file: "limits/gate.ts",
        find: `  let held = heldSlots(state, nowUs)
  if (held`,
        replace: `  let held = heldSlots({ ...state, holders: state.holders.filter((one) => (one as never as { sinceUs: number }).sinceUs < nowUs - 30_000) }, nowUs)
  if (held`,
      },
    ],
  },
  {
    name: "slots are held until somebody gives them back",
    like: "semaphores that count up and down, and a process that is killed in between",
    edits: [
      {
        file: "limits/gate.ts",
        find: `  return state.holders.filter((holder) => holder.untilUs > nowUs)`,
        replace: `  return state.holders.filter((holder) => holder.untilUs > 0 * nowUs)`,
      },
      {
        file: "store/sweep.ts",
        find: `  for (const task of lost) loseAtGates(records, task)\n`,
        replace: "",
      },
    ],
  },
  {
    name: "a parked lane is never woken",
    like: "limiters that forget who waits when a slot comes back",
    edits: [
      {
        file: "store/gates.ts",
        find: `      if (gate.isChanged && gate.hasWaiters) for (const type`,
        replace: `      if (gate.isChanged && gate.hasWaiters && gate.state.holders.length > 0) for (const type`,
      },
      {
        file: "store/gates.ts",
        find: `    const cost = costToReserve(gate, type, refAt(head, gate))`,
        replace: `    const cost = costToReserve(gate, type, refAt(head, gate))
    if (gate.state.holders.length > 0) return Math.ceil(neverUs / 1_000)`,
      },
    ],
  },
  {
    name: "forecast counter drift",
    like: "every counter that is changed beside what it counts",
    edits: [
      {
        file: "stores/memory/indexes.ts",
        find: `      limits.countTask(task, -1, (key) => gates.numberOf(key))`,
        replace: `      if (task.priority !== 1) limits.countTask(task, -1, (key) => gates.numberOf(key))`,
      },
    ],
  },
  {
    name: "one slot too many",
    like: "counts that are compared before, not after",
    edits: [
      {
        file: "limits/gate.ts",
        find: `  if (held + slots <= bound) return nowUs
`,
        replace: `  if (held <= bound) return nowUs
`,
      },
    ],
  },
  {
    name: "a charge is given back when its lease is lost",
    like: "refunds for requests that may well have gone out",
    edits: [
      {
        file: "store/passed.ts",
        find: `      gates.change(gate, releaseHolder(gate.state, task.id, task.fence, nowMs * 1_000, (task.startedAtMs ?? 0) * 1_000))`,
        replace: `      gates.change(gate, settleGate(gate.force.policy, gate.state, nowMs * 1_000, { id: task.id, fence: task.fence, admittedAtUs: (task.startedAtMs ?? 0) * 1_000, reserved: ref.cost, actual: 0, sentAtUs: null, respondedAtUs: null, rttUs: null }))`,
      },
    ],
  },
  {
    name: "a pause holds nobody back who waits already",
    like: "limits whose settings are read when a task arrives",
    edits: [
      {
        file: "store/costs.ts",
        find: `  return force.closedUntilUs > state.closedUntilUs ? { ...state, closedUntilUs: force.closedUntilUs } : state`,
        replace: `  return force.closedUntilUs > state.closedUntilUs ? state : state`,
      },
    ],
  },
]

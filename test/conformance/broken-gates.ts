// Stores that are wrong at their gates, each in one way that a rate limiter has been wrong in.

import type { GatePolicy, GateState } from "../../src/limits/index.ts"
import type { Store } from "../../src/store/contract.ts"
import type { SettleRequest } from "../../src/store/exchange-contract.ts"
import type { GateRef } from "../../src/task/index.ts"
import type { BrokenStore } from "./broken-stores.ts"

/** An exchange whose settles are changed on the way in. */
function withSettles(store: Store, change: (settle: SettleRequest, gates: readonly GateRef[]) => SettleRequest): Partial<Store> {
  return {
    exchange: async (request) => {
      const { tasks } = await store.get({ ids: request.settles.map(({ id }) => id) })
      return store.exchange({ ...request, settles: request.settles.map((settle, i) => change(settle, tasks[i]?.gates ?? [])) })
    },
  }
}

async function oneMoreSlot(store: Store, { limit, key }: GateRef): Promise<void> {
  const { gates } = await store.gates({ limit, keys: [key], afterKey: null, count: 1 })
  const concurrency = (gates[0]?.policy.concurrency ?? 0) + 1
  await store.changeLimit({ limit, key, change: { kind: "set", override: { concurrency }, untilMs: null }, by: "a bug" })
}

/** Gates whose states are changed on the way out. */
function withStates(store: Store, change: (state: GateState) => GateState): Partial<Store> {
  return {
    gates: async (request) => {
      const answer = await store.gates(request)
      return { ...answer, gates: answer.gates.map((gate) => ({ ...gate, ...(gate.state ? { state: change(gate.state) } : {}) })) }
    },
  }
}

function chargedAtOnce(rate: GateState["rates"][number]): GateState["rates"][number] {
  if (rate.kind !== "window") return rate
  const lastUs = rate.free.at(-1)?.[0] ?? 0
  return { ...rate, free: [[lastUs, rate.free.reduce((sum, [, cost]) => sum + cost, 0)]] }
}

const inFixedWindows = (policy: GatePolicy): GatePolicy => ({
  ...policy,
  rates: policy.rates.map((rate) => ({ ...rate, provider: "fixed" })),
})

export const brokenGates: readonly BrokenStore[] = [
  {
    name: "counts in fixed windows where they should roll",
    caughtBy: ["gates-rate"],
    breakIt: (store) => ({
      hello: (request) => {
        const limits = request.limits.map(({ name, policy }) => ({ name, policy: inFixedWindows(policy) }))
        return store.hello({ ...request, limits })
      },
    }),
  },
  {
    name: "gives a slot back for each settle that it hears",
    caughtBy: ["gates-slots"],
    breakIt: (store) => ({
      exchange: async (request) => {
        const { tasks } = await store.get({ ids: request.settles.map(({ id }) => id) })
        const over = tasks.flatMap((task) => (task && task.status !== "running" ? (task.gates ?? []) : []))
        for (const gate of over) await oneMoreSlot(store, gate)
        return store.exchange(request)
      },
    }),
  },
  {
    name: "gives the charge back when a run is released",
    caughtBy: ["gates-cost"],
    breakIt: (store) =>
      withSettles(store, (settle, gates) =>
        settle.outcome.kind === "released" ? { ...settle, spent: gates.map(({ limit }) => ({ limit, actual: 0 })) } : settle,
      ),
  },
  {
    name: "takes a request as counted when it was sent, whenever the answer came",
    caughtBy: ["gates-counting"],
    breakIt: (store) => withSettles(store, (settle) => ({ ...settle, respondedAgoMs: settle.respondedAgoMs === null ? null : 86_400_000 })),
  },
  {
    name: "waits out the slack, whatever was heard",
    caughtBy: ["gates-counting"],
    breakIt: (store) => withSettles(store, (settle) => ({ ...settle, respondedAgoMs: null })),
  },
  {
    name: "lets the cheap overtake the costly",
    caughtBy: ["gates-order"],
    breakIt: (store) => ({
      submit: (request) => {
        const cost = (gates: readonly GateRef[] | null) => Math.max(0, ...(gates ?? []).map((gate) => gate.cost))
        return store.submit({ tasks: request.tasks.map((task) => ({ ...task, priority: task.priority - cost(task.gates) })) })
      },
    }),
  },
  {
    name: "cools down anew for every refusal that was under way",
    caughtBy: ["gates-cooldown", "gates-paced"],
    breakIt: (store) => withSettles(store, (settle) => (settle.outcome.kind === "throttled" ? { ...settle, sentAgoMs: -1 } : settle)),
  },
  {
    name: "counts a task among those before it",
    caughtBy: ["gates-forecast"],
    breakIt: (store) => ({
      submit: async (request) => {
        const answer = await store.submit(request)
        if (answer.kind !== "ok") return answer
        return { ...answer, tasks: answer.tasks.map((one, i) => ({ ...one, forecast: answer.tasks[i + 1]?.forecast ?? one.forecast })) }
      },
    }),
  },
  {
    name: "lets an override wait until somebody looks",
    caughtBy: ["gates-wakeups"],
    breakIt: (store, shared) => ({
      changeLimit: (request) => {
        shared.set("changes", changes(shared) + 1)
        return store.changeLimit(request)
      },
      wait: async (request, signal) => {
        for (let before = -1; before !== changes(shared) && !signal.aborted; ) {
          before = changes(shared)
          await store.wait(request, signal)
        }
      },
    }),
  },
  {
    name: "grants a permit and charges nobody",
    caughtBy: ["gates-permit"],
    breakIt: (store) => ({
      permit: async (request) => {
        const answer = await store.permit({ ...request, withinMs: -1 })
        return answer.kind === "later" && answer.waitMs !== null && answer.waitMs <= request.withinMs
          ? { kind: "ok", nowMs: (await store.now({})).nowMs, waitMs: answer.waitMs }
          : answer
      },
    }),
  },
  {
    name: "tells every gate what one limit has heard",
    caughtBy: ["gates-heard"],
    breakIt: (store) =>
      withSettles(store, ({ heard, ...settle }) => ({
        ...settle,
        ...(heard ? { heard: heard.map((answer) => ({ ...answer, limit: null })) } : {}),
      })),
  },
  {
    name: "loses what a permit tells",
    caughtBy: ["gates-heard"],
    breakIt: (store) => ({ permit: ({ heard: _heard, ...request }) => store.permit(request) }),
  },
  {
    name: "is told by whoever comes last, whatever was learned meanwhile",
    caughtBy: ["gates-learned"],
    breakIt: (store) => ({
      changeLimit: (request) =>
        store.changeLimit(request.change.kind === "teach" ? { ...request, change: { ...request.change, version: null } } : request),
    }),
  },
  {
    name: "forgets what was learned with a reset",
    caughtBy: ["gates-learned"],
    breakIt: (store) => ({
      changeLimit: async (request) => {
        const forgotten = { kind: "teach", version: null, taught: null } as const
        if (request.change.kind === "reset") await store.changeLimit({ ...request, change: forgotten })
        return store.changeLimit(request)
      },
    }),
  },
  {
    name: "reserves the least where the most was asked for",
    caughtBy: ["gates-learned-cost"],
    breakIt: (store) => ({
      submit: (request) => {
        const cheap = (gates: readonly GateRef[] | null) => gates?.map(({ most: _most, ...gate }) => gate) ?? null
        return store.submit({ tasks: request.tasks.map((task) => ({ ...task, gates: cheap(task.gates) })) })
      },
    }),
  },
  {
    name: "tells the state of a gate without what people have closed",
    caughtBy: ["gates-states"],
    breakIt: (store) => withStates(store, (state) => ({ ...state, closedUntilUs: 0 })),
  },
  {
    name: "tells the state of a gate without those who hold its slots",
    caughtBy: ["gates-states"],
    breakIt: (store) => withStates(store, (state) => ({ ...state, holders: [] })),
  },
  {
    name: "tells the state of a gate as if all had been charged just now",
    caughtBy: ["gates-states"],
    breakIt: (store) => withStates(store, (state) => ({ ...state, rates: state.rates.map(chargedAtOnce) })),
  },
  {
    name: "runs what nobody has routed, past every gate",
    caughtBy: ["gates-unrouted"],
    breakIt: (store) => ({
      submit: (request) => store.submit({ tasks: request.tasks.map((task) => ({ ...task, gates: task.gates ?? [] })) }),
    }),
  },
]

function changes(shared: Map<string, unknown>): number {
  return (shared.get("changes") ?? 0) as number
}

// Stores that are wrong on purpose, each in one way that a real queue has been wrong in. They wrap a memory store, so that
// everything else about them is right: the suite has to notice the one thing.

import type { Store } from "../../src/store/contract.ts"
import type { SettleRequest } from "../../src/store/exchange-contract.ts"
import type { Outcome, TaskRecord } from "../../src/task/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { released, said } from "../../src/testing/conformance/outcomes.ts"

export interface BrokenStore {
  readonly name: string
  /** The themes of which at least one test has to fail. */
  readonly caughtBy: readonly string[]
  /** Replaces some operations of one connection; `shared` is one object for all connections to a backing. */
  breakIt(store: Store, shared: Map<string, unknown>): Partial<Store>
}

/** An exchange whose outcomes are changed on the way in. */
function withOutcome(store: Store, change: (outcome: Outcome) => Outcome): Partial<Store> {
  const settled = ({ outcome, ...settle }: SettleRequest) => ({ ...settle, outcome: change(outcome) })
  return { exchange: (request) => store.exchange({ ...request, settles: request.settles.map(settled) }) }
}

async function find(store: Store, test: (task: TaskRecord) => boolean): Promise<readonly TaskRecord[]> {
  return (await store.list({ ...everything, limit: 1_000 })).tasks.filter(test)
}

export const brokenStores: readonly BrokenStore[] = [
  {
    name: "hands a task out twice",
    caughtBy: ["claim"],
    breakIt: (store, shared) => ({
      exchange: async (request) => {
        const answer = await store.exchange(request)
        if (request.claim === null || request.claim.max === 0) return answer
        if (answer.claimed.length > 0) shared.set("last", answer.claimed)
        const again = (shared.get("last") ?? []) as readonly TaskRecord[]
        return answer.claimed.length > 0 ? answer : { ...answer, claimed: again.map((task) => ({ ...task, workerId: request.workerId })) }
      },
    }),
  },
  {
    name: "settles by id, whatever the fence",
    caughtBy: ["settle"],
    breakIt: (store) => ({
      exchange: async (request) => {
        const { tasks } = await store.get({ ids: request.settles.map(({ id }) => id) })
        const settles = request.settles.map((settle, i) => ({ ...settle, fence: tasks[i]?.fence ?? settle.fence }))
        return store.exchange({ ...request, settles })
      },
    }),
  },
  {
    name: "lets a drain burn a retry",
    caughtBy: ["settle"],
    breakIt: (store) =>
      withOutcome(store, (outcome) => (outcome.kind === "released" ? { kind: "retried", error: outcome.reason, delayMs: 0 } : outcome)),
  },
  {
    name: "expires a running task",
    caughtBy: ["expiry"],
    breakIt: (store) => ({
      sweep: async (request) => {
        const { nowMs } = await store.now({})
        const late = await find(store, ({ status, expiresAtMs }) => status === "running" && expiresAtMs !== null && expiresAtMs <= nowMs)
        const settles = late.map((task) => said(task, released()))
        await store.exchange({ workerId: "sweeper", settles, heartbeats: [], leaseMs: 1, claim: null })
        const answer = await store.sweep(request)
        return { ...answer, expired: answer.expired + late.length }
      },
    }),
  },
  {
    name: "loses the ready entry of a task that comes due",
    caughtBy: ["claim", "retry"],
    breakIt: (store, shared) => neverClaims(store, shared, (task) => task.availableAtMs > task.createdAtMs),
  },
  {
    name: "loses the ready entry of a task that comes back",
    caughtBy: ["lost", "retry", "reschedule"],
    breakIt: (store, shared) => neverClaims(store, shared, (task) => task.fence > 1),
  },
  {
    name: "looks an idempotency key up first and stores afterwards",
    caughtBy: ["idempotency"],
    breakIt: (store, shared) => ({
      submit: async ({ tasks: asked }) => {
        const known = asked.map(({ idempotencyKey, id }) => (shared.get(idempotencyKey ?? "") ?? id) as string)
        const { tasks: found } = await store.get({ ids: known })
        const keyless = asked.map((task, i) => ({ ...task, id: found[i]?.id ?? task.id, idempotencyKey: null }))
        const answer = await store.submit({ tasks: keyless })
        if (answer.kind !== "ok") return answer
        for (const [i, { task }] of answer.tasks.entries()) shared.set(asked[i]?.idempotencyKey ?? task.id, task.id)
        return answer
      },
    }),
  },
  {
    name: "counts a reschedule as a retry",
    caughtBy: ["reschedule"],
    breakIt: (store) =>
      withOutcome(store, (outcome) =>
        outcome.kind === "rescheduled" ? { kind: "retried", error: outcome.reason ?? "", delayMs: outcome.delayMs } : outcome,
      ),
  },
  {
    name: "claims again when a claim is asked again",
    caughtBy: ["repeat"],
    breakIt: (store, shared) => ({
      exchange: (request) => {
        const number = ((shared.get("claims") ?? 0) as number) + 1
        shared.set("claims", number)
        return store.exchange({ ...request, claim: request.claim && { ...request.claim, number } })
      },
    }),
  },
  {
    name: "tells a request to stop once and forgets it",
    caughtBy: ["cancel"],
    breakIt: (store, shared) => ({
      exchange: async (request) => {
        const answer = await store.exchange(request)
        const news = answer.cancelled.filter(({ id }) => !shared.has(id))
        for (const { id } of news) shared.set(id, true)
        return { ...answer, cancelled: news }
      },
    }),
  },
  {
    name: "loses a request to stop",
    caughtBy: ["cancel"],
    breakIt: (store) => ({
      cancel: async ({ ids }) => {
        const { tasks } = await store.get({ ids })
        const waiting = tasks.flatMap((task) => (task?.status === "running" ? [] : [task?.id ?? "nobody"]))
        const { results } = await store.cancel({ ids: waiting })
        const left = [...results]
        return { results: tasks.map((task) => (task?.status === "running" ? { kind: "ok", task } : (left.shift() ?? { kind: "missing" }))) }
      },
    }),
  },
  {
    name: "skips a task between two pages",
    caughtBy: ["list"],
    breakIt: (store) => ({
      list: async (request) => {
        const answer = await store.list(request)
        return { ...answer, nextBeforeSeq: answer.nextBeforeSeq === null ? null : answer.nextBeforeSeq - 1 }
      },
    }),
  },
  {
    name: "pages by what has changed since",
    caughtBy: ["list"],
    breakIt: (store) => ({
      list: async (request) => {
        if (request.beforeSeq === null) return store.list(request)
        const newer = await find(store, ({ seq }) => seq >= (request.beforeSeq ?? 0))
        const moved = newer.filter(({ version }) => version > 1).length
        return store.list({ ...request, beforeSeq: request.beforeSeq + moved })
      },
    }),
  },
  {
    name: "stores what it can of a batch",
    caughtBy: ["submit"],
    breakIt: (store) => ({
      submit: async (request) => {
        const answers = []
        for (const [index, task] of request.tasks.entries()) {
          const answer = await store.submit({ tasks: [task] })
          if (answer.kind !== "ok") return { ...answer, index }
          answers.push(...answer.tasks)
        }
        return { kind: "ok", nowMs: (await store.now({})).nowMs, tasks: answers }
      },
    }),
  },
  {
    name: "revives a lease that ran out",
    caughtBy: ["lease"],
    breakIt: (store) => ({
      exchange: async (request) => {
        const answer = await store.exchange(request)
        return { ...answer, kept: answer.kept.map(() => "ok") }
      },
    }),
  },
  {
    name: "removes archived tasks with the others",
    caughtBy: ["archive"],
    breakIt: (store, shared) => ({
      sweep: async (request) => {
        const archived = await find(store, ({ status }) => status === "archived")
        if (request.retentionMs !== null) for (const { id } of archived) shared.set(id, true)
        const answer = await store.sweep(request)
        return { ...answer, removed: answer.removed + (request.retentionMs === null ? 0 : archived.length) }
      },
    }),
  },
  {
    name: "serves the flow that has most waiting",
    caughtBy: ["fairness"],
    breakIt: (store) => ({ submit: (request) => store.submit({ tasks: request.tasks.map((task) => ({ ...task, flow: "all" })) }) }),
  },
  {
    name: "misses what happens after wait was called",
    caughtBy: ["wait"],
    breakIt: (store) => ({
      wait: async (request, signal) => {
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
        return store.wait(request, signal)
      },
    }),
  },
]

/** A store that has some tasks, pending, in no lane. */
function neverClaims(store: Store, lost: Map<string, unknown>, isLost: (task: TaskRecord) => boolean): Partial<Store> {
  return {
    exchange: async (request) => {
      const answer = await store.exchange(request)
      const missed = answer.claimed.filter((task) => lost.has(task.id) || isLost(task))
      for (const { id } of missed) lost.set(id, true)
      const settles = missed.map((task) => said(task, released()))
      await store.exchange({ ...request, settles, heartbeats: [], claim: null })
      return { ...answer, claimed: answer.claimed.filter((task) => !missed.includes(task)) }
    },
  }
}

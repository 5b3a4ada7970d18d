// Stores that are wrong about schedules, each in one way that a scheduler has been wrong in.

import type { Store } from "../../src/store/contract.ts"
import type { BrokenStore } from "./broken-stores.ts"

async function recordOf(store: Store, name: string) {
  return (await store.schedules({ names: [name], afterName: null, count: 1 })).schedules[0] ?? null
}

export const brokenSchedules: readonly BrokenStore[] = [
  {
    name: "fires without looking where the schedule stands",
    caughtBy: ["schedules-fire"],
    breakIt: (store) => ({
      fire: async ({ fires }) => {
        const now = await store.now({})
        const anyway = fires.map(async (fire) => {
          const record = await recordOf(store, fire.name)
          if (record?.nextAtMs !== null && record && record.nextAtMs <= now.nowMs)
            return { ...fire, atMs: record.nextAtMs, version: record.version }
          return fire
        })
        return store.fire({ fires: await Promise.all(anyway) })
      },
    }),
  },
  {
    name: "submits first, and forgets to go on",
    caughtBy: ["schedules-fire"],
    breakIt: (store) => ({
      fire: async ({ fires }) => store.fire({ fires: fires.map((fire) => ({ ...fire, nextAtMs: fire.atMs })) }),
    }),
  },
  {
    name: "starts a schedule anew whenever it is saved",
    caughtBy: ["schedules"],
    breakIt: (store) => ({
      saveSchedule: async (request) => {
        await store.changeSchedule({ name: request.schedule.name, change: { kind: "remove" } })
        return store.saveSchedule(request)
      },
    }),
  },
  {
    name: "resumes what is saved again",
    caughtBy: ["schedules"],
    breakIt: (store) => ({
      saveSchedule: async (request) => {
        const answer = await store.saveSchedule(request)
        if (answer.kind !== "ok" || !answer.schedule.isPaused) return answer
        const resumed = await store.changeSchedule({
          name: request.schedule.name,
          change: { kind: "resume", nextAtMs: request.nextAtMs },
        })
        return resumed.kind === "ok" ? { ...answer, schedule: resumed.schedule } : answer
      },
    }),
  },
  {
    name: "wakes nobody for an earlier instant",
    caughtBy: ["schedules"],
    breakIt: (store, shared) => ({
      saveSchedule: (request) => {
        shared.set("saved", ((shared.get("saved") ?? 0) as number) + 1)
        return store.saveSchedule(request)
      },
      wait: async (request, signal) => {
        const saved = () => shared.get("saved") ?? 0
        for (let before: unknown = null; before !== saved() && !signal.aborted; ) {
          before = saved()
          await store.wait(request, signal)
        }
      },
    }),
  },
  {
    name: "says nothing of schedules in an exchange",
    caughtBy: ["schedules"],
    breakIt: (store) => ({
      exchange: async (request) => {
        const { scheduleAtMs: _scheduleAtMs, ...answer } = await store.exchange(request)
        return answer
      },
    }),
  },
  {
    name: "drops the instants of the whole batch over one that is stale",
    caughtBy: ["schedules-fire"],
    breakIt: (store) => ({
      fire: async ({ fires }) => {
        const records = await Promise.all(fires.map(({ name }) => recordOf(store, name)))
        const isStale = records.some((record, i) => record?.version !== fires[i]?.version)
        return isStale ? { ...(await store.now({})), results: fires.map(() => ({ kind: "stale" })) } : store.fire({ fires })
      },
    }),
  },
]

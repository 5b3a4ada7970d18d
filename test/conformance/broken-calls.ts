// Stores that are wrong about calls outside the queue, each in one way that a semaphore has been wrong in.

import type { HoldRequest, Store } from "../../src/store/index.ts"
import type { BrokenStore } from "./broken-stores.ts"

const withHold = (store: Store, change: (request: HoldRequest) => HoldRequest): Partial<Store> => ({
  hold: (request) => store.hold(change(request)),
})

export const brokenCalls: readonly BrokenStore[] = [
  {
    name: "lets whoever tries overtake those who wait",
    caughtBy: ["calls-order"],
    breakIt: (store) => withHold(store, (request) => ({ ...request, adopt: request.acquire.filter(({ waitMs }) => waitMs === 0) })),
  },
  {
    name: "takes what is asked for before it gives back what is released",
    caughtBy: ["calls-order"],
    breakIt: (store) => ({
      hold: async (request) => {
        const answer = await store.hold({ ...request, release: [] })
        const { released } = await store.hold({ ...request, renew: [], adopt: [], acquire: [], shares: [] })
        return { ...answer, released }
      },
    }),
  },
  {
    name: "gives a call that is asked for again a new place in line",
    caughtBy: ["calls-order"],
    breakIt: (store, shared) => ({
      hold: async (request) => {
        const again = request.acquire.filter(({ id }) => shared.has(id))
        for (const { id } of request.acquire) shared.set(id, true)
        const gone = again.map(({ id }) => ({ id, spent: null, sentAgoMs: null, respondedAgoMs: null, rttMs: null, heard: [] }))
        return store.hold({ ...request, release: [...request.release, ...gone] })
      },
    }),
  },
  {
    name: "heeds a hold that comes behind a later one",
    caughtBy: ["calls-order", "calls-shares"],
    breakIt: (store, shared) => ({
      hold: (request) => {
        const number = ((shared.get("number") ?? 0) as number) + 1
        shared.set("number", number)
        return store.hold({ ...request, number })
      },
    }),
  },
  {
    name: "keeps the slots of those who have gone",
    caughtBy: ["calls-lease"],
    breakIt: (store) => withHold(store, (request) => ({ ...request, leaseMs: request.leaseMs * 100 })),
  },
  {
    name: "revives a call whose lease is over",
    caughtBy: ["calls-lease"],
    breakIt: (store) => ({
      hold: async (request) => {
        const answer = await store.hold(request)
        return { ...answer, kept: answer.kept.map((kept) => (kept === "stale" ? "granted" : kept)) }
      },
    }),
  },
  {
    name: "forgets what calls have heard",
    caughtBy: ["calls-gates"],
    breakIt: (store) => withHold(store, (request) => ({ ...request, release: request.release.map((one) => ({ ...one, heard: [] })) })),
  },
  {
    name: "gives the charge back with the slot",
    caughtBy: ["calls-gates"],
    breakIt: (store) => withHold(store, (request) => ({ ...request, release: request.release.map((one) => ({ ...one, spent: 0 })) })),
  },
  {
    name: "takes a slot for every further request",
    caughtBy: ["calls-gates"],
    breakIt: (store) =>
      withHold(store, (request) => ({ ...request, acquire: request.acquire.map((one) => ({ ...one, isFurther: false })) })),
  },
  {
    name: "shares out what a process may still believe that it has",
    caughtBy: ["calls-shares"],
    breakIt: (store) =>
      withHold(store, (request) => ({ ...request, shares: request.shares.map((share) => ({ ...share, from: 0, to: 0 })) })),
  },
  {
    name: "gives the share of a process that is not seen to others",
    caughtBy: ["calls-shares"],
    breakIt: (store) =>
      withHold(store, (request) => ({ ...request, shares: request.shares.map((share) => ({ ...share, fallbackMs: 1_000 })) })),
  },
  {
    name: "forgets what was used of a rate while a process was away",
    caughtBy: ["calls-shares"],
    breakIt: (store) =>
      withHold(store, (request) => ({ ...request, shares: request.shares.map((share) => ({ ...share, isUsing: false })) })),
  },
  {
    name: "tells a process once of what it was granted",
    caughtBy: ["calls-order"],
    breakIt: (store, shared) => ({
      hold: async (request) => {
        const answer = await store.hold(request)
        const news = answer.granted.filter(({ id }) => !shared.has(`told ${id}`))
        for (const { id } of news) shared.set(`told ${id}`, true)
        return { ...answer, granted: request.sinceMs === 0 ? news : answer.granted }
      },
    }),
  },
]

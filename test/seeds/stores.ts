// Runs the seeds' examples on every store that this machine has, each test on a queue of its own in virtual time.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe } from "node:test"
import type { AnyTask } from "../../src/index.ts"
import { type Store, type TestQueue, type TestQueueOptions, testQueue } from "../../src/testing/index.ts"
import { postgresPlace } from "../engines/postgres-place.ts"
import { redisPlace } from "../engines/redis-place.ts"
import { withOwnNews } from "./own-news.ts"
import { PatientWorld } from "./patient-world.ts"

interface Place {
  readonly url: string
  /** On the network: time waits for its answers. */
  readonly isFar: boolean
  remove(): Promise<void>
}

const embedded: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: "memory:", isFar: false, remove: async () => {} }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-seeds-"))
    return { url: `sqlite:${join(folder, "x.db")}`, isFar: false, remove: () => rm(folder, { recursive: true, force: true }) }
  },
}

const servers: typeof embedded = {
  redis: async () => {
    const { url, clear } = await redisPlace()
    return { url, isFar: true, remove: clear }
  },
  postgres: async () => {
    const { url, clear } = await postgresPlace()
    return { url, isFar: true, remove: clear }
  },
}

export type OpenQueue = (tasks: readonly AnyTask[], options?: Omit<TestQueueOptions, "store">) => Promise<TestQueue>

/** On those that need no server. Examples with a world of their own, or with requests to others, have to be quick to settle. */
export function onEveryStore(name: string, examples: (open: OpenQueue) => void): void {
  onPlaces(embedded, name, examples)
}

/** Time waits for the answers of a server: examples must not have a world of their own. */
export function onServersToo(name: string, examples: (open: OpenQueue) => void): void {
  onPlaces({ ...embedded, ...servers }, name, examples)
}

function onPlaces(places: typeof embedded, name: string, examples: (open: OpenQueue) => void): void {
  for (const [store, makePlace] of Object.entries(places)) {
    describe(`${name}, on ${store}`, () => {
      const cleanUp: (() => Promise<void>)[] = []
      afterEach(async () => {
        for (const step of cleanUp.splice(0).reverse()) await step()
      })
      examples(async (tasks, options) => {
        const place = await makePlace()
        cleanUp.push(() => place.remove())
        const { url, isFar } = place
        const world = new PatientWorld()
        const through = (store: Store) => withOwnNews(isFar ? world.through(store) : store)
        const queue = await testQueue(tasks, { through, ...(isFar ? { world } : {}), ...options, store: url })
        cleanUp.push(() => queue.close())
        return queue
      })
    })
  }
}

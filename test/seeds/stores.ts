// Runs the seeds' examples on every store that this machine has, each test on a queue of its own in virtual time.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe } from "node:test"
import type { AnyTask } from "../../src/index.ts"
import { type TestQueue, type TestQueueOptions, testQueue } from "../../src/testing/index.ts"
import { redisPlace } from "../engines/redis-place.ts"
import { withOwnNews } from "./own-news.ts"

interface Place {
  readonly url: string
  remove(): Promise<void>
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: "memory:", remove: async () => {} }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-seeds-"))
    return { url: `sqlite:${join(folder, "x.db")}`, remove: () => rm(folder, { recursive: true, force: true }) }
  },
  redis: async () => {
    const { url, clear } = await redisPlace()
    return { url, remove: clear }
  },
}

export type OpenQueue = (tasks: readonly AnyTask[], options?: Omit<TestQueueOptions, "store">) => Promise<TestQueue>

export function onEveryStore(name: string, examples: (open: OpenQueue) => void): void {
  for (const [store, makePlace] of Object.entries(places)) {
    describe(`${name}, on ${store}`, () => {
      const cleanUp: (() => Promise<void>)[] = []
      afterEach(async () => {
        for (const step of cleanUp.splice(0).reverse()) await step()
      })
      examples(async (tasks, options) => {
        const place = await makePlace()
        cleanUp.push(() => place.remove())
        const queue = await testQueue(tasks, { through: withOwnNews, ...options, store: place.url })
        cleanUp.push(() => queue.close())
        return queue
      })
    })
  }
}

// The suite is worth what it catches: each store that is wrong in one known way has to fail it, in the theme where one
// would look, and by an assertion. The memory store passes the same way, so the failures are not the bench's.

import assert, { AssertionError } from "node:assert/strict"
import { describe, it } from "node:test"
import type { Store } from "../../src/store/contract.ts"
import { type OpenBacking, runStoreTest, type StoreTest, storeTests } from "../../src/testing/conformance/index.ts"
import { brokenCalls } from "./broken-calls.ts"
import { brokenGates } from "./broken-gates.ts"
import { brokenJobs } from "./broken-jobs.ts"
import { brokenSchedules } from "./broken-schedules.ts"
import { type BrokenStore, brokenStores } from "./broken-stores.ts"
import { brokenWatching } from "./broken-watching.ts"
import { openers } from "./openers.ts"

const openMemory = openers.memory as OpenBacking

async function failures(tests: readonly StoreTest[], openBacking: OpenBacking): Promise<string[]> {
  const failed: string[] = []
  for (const test of tests) {
    try {
      await runStoreTest(test, openBacking)
    } catch (error) {
      assert.ok(error instanceof AssertionError, `expected "${test.name}" to fail by an assertion, got ${error}`)
      failed.push(test.name)
    }
  }
  return failed
}

function broken({ breakIt }: BrokenStore): OpenBacking {
  return async () => {
    const backing = await openMemory()
    const shared = new Map<string, unknown>()
    return {
      open: async (options) => replaced(await backing.open(options), (store) => breakIt(store, shared)),
      close: () => backing.close(),
    }
  }
}

function replaced(store: Store, breakIt: (store: Store) => Partial<Store>): Store {
  const wrong = breakIt(store)
  return new Proxy(store, {
    get: (_target, property) => {
      const value = Reflect.get(wrong, property) ?? Reflect.get(store, property)
      return typeof value === "function" ? value.bind(store) : value
    },
  })
}

describe("the suite", () => {
  it("passes the memory store", async () => {
    assert.deepEqual(await failures(storeTests, openMemory), [])
  })

  for (const store of [...brokenStores, ...brokenGates, ...brokenSchedules, ...brokenCalls, ...brokenJobs, ...brokenWatching]) {
    it(`catches a store that ${store.name}`, async () => {
      for (const theme of store.caughtBy) {
        const tests = storeTests.filter((test) => test.theme === theme)
        assert.notDeepEqual(await failures(tests, broken(store)), [], `expected the theme "${theme}" to catch a store that ${store.name}`)
      }
    })
  }
})

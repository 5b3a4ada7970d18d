// The public names of `sluice/testing`: for tests of one's own tasks, and of one's own stores.

export type { Store } from "../store/index.ts"
export * from "./checker/index.ts"
export type { Backing, OpenBacking, StoreTest } from "./conformance/index.ts"
export { describeStore, runStoreTest, storeTests } from "./conformance/index.ts"
export { type DecideFault, type Fault, faultyStore } from "./faulty-store.ts"
export { type LookOptions, lookAt } from "./look-at.ts"
export { type Fact, historyLog, policyFact, recordedStore, type WriteFact } from "./recorded-store.ts"
export { type SleepOptions, sleepUntilEmpty } from "./sleep-until-empty.ts"
export { TestQueue, type TestQueueOptions, testQueue } from "./test-queue.ts"
export { type AroundCall, throughCalls } from "./through-calls.ts"
export { viaJson } from "./via-json.ts"
export { VirtualWorld, type VirtualWorldOptions } from "./virtual-world.ts"

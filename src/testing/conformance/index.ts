// The conformance suite: what every store promises, as data. `describeStore` registers it with a test runner; whoever
// wants it otherwise takes `storeTests` and `runStoreTest`.

import { describe as nodeDescribe, it as nodeIt } from "node:test"
import { archiveTests } from "./archive.ts"
import { budgetTests } from "./budgets.ts"
import { callsGatesTests } from "./calls-gates.ts"
import { callsLeaseTests } from "./calls-lease.ts"
import { callsOrderTests } from "./calls-order.ts"
import { callsSharesTests } from "./calls-shares.ts"
import { cancelTests } from "./cancel.ts"
import { claimTests } from "./claim.ts"
import { clockTests } from "./clock.ts"
import { countsTests } from "./counts.ts"
import { expiryTests } from "./expiry.ts"
import { fairnessTests } from "./fairness.ts"
import { gatesAheadTests } from "./gates-ahead.ts"
import { gatesCooldownTests } from "./gates-cooldown.ts"
import { gatesCostTests } from "./gates-cost.ts"
import { gatesCountingTests } from "./gates-counting.ts"
import { gatesDeclarationsTests } from "./gates-declarations.ts"
import { gatesExplainTests } from "./gates-explain.ts"
import { gatesForecastTests } from "./gates-forecast.ts"
import { gatesForgottenTests } from "./gates-forgotten.ts"
import { gatesHeardTests } from "./gates-heard.ts"
import { gatesLearnedTests } from "./gates-learned.ts"
import { gatesLearnedCostTests } from "./gates-learned-cost.ts"
import { gatesOrderTests } from "./gates-order.ts"
import { gatesPacedTests } from "./gates-paced.ts"
import { gatesPermitTests } from "./gates-permit.ts"
import { gatesRateTests } from "./gates-rate.ts"
import { gatesSettingsTests } from "./gates-settings.ts"
import { gatesSlotsTests } from "./gates-slots.ts"
import { gatesStatesTests } from "./gates-states.ts"
import { gatesUnroutedTests } from "./gates-unrouted.ts"
import { gatesWakeupsTests } from "./gates-wakeups.ts"
import { historyTests } from "./history.ts"
import { idempotencyTests } from "./idempotency.ts"
import { jobTests } from "./jobs.ts"
import { jobsEndedTests } from "./jobs-ended.ts"
import { jsonTests } from "./json.ts"
import { Bench, type OpenBacking, type StoreTest } from "./kit.ts"
import { leaseTests } from "./lease.ts"
import { listTests } from "./list.ts"
import { lostTests } from "./lost.ts"
import { namespaceTests } from "./namespaces.ts"
import { orderTests } from "./order.ts"
import { payloadTests } from "./payloads.ts"
import { repeatTests } from "./repeat.ts"
import { requeueTests } from "./requeue.ts"
import { rescheduleTests } from "./reschedule.ts"
import { retryTests } from "./retry.ts"
import { schedulesTests } from "./schedules.ts"
import { schedulesFireTests } from "./schedules-fire.ts"
import { settleTests } from "./settle.ts"
import { submitTests } from "./submit.ts"
import { sweepTests } from "./sweep.ts"
import { throttleTests } from "./throttle.ts"
import { waitTests } from "./wait.ts"
import { watchingTests } from "./watching.ts"

export type { Backing, OpenBacking, StoreTest } from "./kit.ts"
export { Bench } from "./kit.ts"

export const storeTests: readonly StoreTest[] = [
  ...submitTests,
  ...idempotencyTests,
  ...claimTests,
  ...orderTests,
  ...fairnessTests,
  ...settleTests,
  ...leaseTests,
  ...lostTests,
  ...retryTests,
  ...rescheduleTests,
  ...throttleTests,
  ...gatesRateTests,
  ...gatesCountingTests,
  ...gatesSlotsTests,
  ...gatesCostTests,
  ...gatesCooldownTests,
  ...gatesOrderTests,
  ...gatesSettingsTests,
  ...gatesDeclarationsTests,
  ...gatesUnroutedTests,
  ...gatesForecastTests,
  ...gatesAheadTests,
  ...gatesExplainTests,
  ...gatesPermitTests,
  ...gatesWakeupsTests,
  ...gatesForgottenTests,
  ...gatesPacedTests,
  ...gatesHeardTests,
  ...gatesLearnedTests,
  ...gatesLearnedCostTests,
  ...gatesStatesTests,
  ...schedulesTests,
  ...schedulesFireTests,
  ...callsOrderTests,
  ...callsLeaseTests,
  ...callsGatesTests,
  ...callsSharesTests,
  ...expiryTests,
  ...cancelTests,
  ...requeueTests,
  ...archiveTests,
  ...sweepTests,
  ...listTests,
  ...historyTests,
  ...countsTests,
  ...watchingTests,
  ...jobTests,
  ...jobsEndedTests,
  ...repeatTests,
  ...clockTests,
  ...waitTests,
  ...namespaceTests,
  ...budgetTests,
  ...payloadTests,
  ...jsonTests,
]

/** What the suite needs of a test runner: node:test, vitest and jest all have it. */
export interface Runner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

const nodeRunner: Runner = {
  describe: (name, body) => nodeDescribe(name, body),
  it: (name, body) => nodeIt(name, body),
}

export function describeStore(name: string, openBacking: OpenBacking, runner: Runner = nodeRunner): void {
  const themes = new Set(storeTests.map(({ theme }) => theme))
  runner.describe(name, () => {
    for (const theme of themes) {
      runner.describe(theme, () => {
        for (const test of storeTests) if (test.theme === theme) runner.it(test.name, () => runStoreTest(test, openBacking))
      })
    }
  })
}

/** On a backing and in a world of its own; fails as the test does. */
export async function runStoreTest(test: StoreTest, openBacking: OpenBacking): Promise<void> {
  const bench = await Bench.open(openBacking)
  try {
    await test.run(bench)
  } finally {
    await bench.close()
  }
}

// The documented defaults are those of the source.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { queueDefaults, taskDefaults, workerDefaults } from "../../../src/queue/index.ts"
import { parseDuration, parseSize } from "../../../src/units/index.ts"

/** Option name to the first value in its row, for every row of every table. */
const documented = new Map<string, string>()
for (const line of readFileSync("docs/reference/configuration.md", "utf8").split("\n")) {
  const [, names = "", value = ""] = line.split("|")
  for (const [, name = ""] of names.matchAll(/`([^`]+)`/g)) documented.set(name, /`([^`]+)`/.exec(value)?.[1] ?? value.trim())
}

const durations: Readonly<Record<string, number>> = {
  timeout: taskDefaults.timeoutMs,
  lease: workerDefaults.leaseMs,
  heartbeat: workerDefaults.heartbeatMs,
  sweep: workerDefaults.sweepMs,
  grace: workerDefaults.graceMs,
  startWithin: workerDefaults.startWithinMs,
  retention: workerDefaults.retentionMs,
}

describe("docs/reference/configuration.md", () => {
  for (const [option, ms] of Object.entries(durations)) {
    it(`tells the default of ${option}`, () => assert.equal(parseDuration(option, documented.get(option)), ms))
  }

  it("tells the others", () => {
    assert.equal(documented.get("priority"), String(taskDefaults.priority))
    assert.equal(documented.get("maxRetries"), String(taskDefaults.maxRetries))
    assert.equal(documented.get("concurrency"), String(workerDefaults.concurrency))
    assert.equal(documented.get("namespace"), queueDefaults.namespace)
    assert.equal(parseSize("maxInputBytes", documented.get("maxInputBytes")), queueDefaults.maxInputBytes)
    const { baseMs, factor, capMs } = workerDefaults.backoff
    assert.equal(documented.get("backoff"), `{ base: "${baseMs / 1_000}s", factor: ${factor}, cap: "${capMs / 1_000}s" }`)
  })
})

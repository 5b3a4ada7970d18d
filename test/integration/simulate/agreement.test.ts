// What a simulation says and what then happens are the same within 5 %: the real worker, on every store that this machine has, with
// the very durations and keys that were drawn.

import { ok } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { defineLimit, type SimulateOptions, simulate } from "../../../src/index.ts"
import { realRun } from "./real-run.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-simulate-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const spread = { p50: "1s", p99: "8s" } as const

const cases: Readonly<Record<string, SimulateOptions>> = {
  "a rate binds": { tasks: 200, limits: [defineLimit("vendor-api", { rate: "10/10s", provider: "sliding" })], duration: spread },
  "a rate binds, counted in a way that nobody has told": {
    tasks: 150,
    limits: [defineLimit("vendor-api", { rate: "5/2s" })],
    duration: { p50: "200ms", p99: "2s" },
  },
  "a concurrency binds": { tasks: 200, limits: [defineLimit("vendor-api", { concurrency: 4 })], duration: spread },
  "the workers bind": { tasks: 200, duration: spread, concurrency: 7 },
  "a rate and a concurrency of one limit": {
    tasks: 200,
    limits: [defineLimit("vendor-api", { rate: "20/10s", provider: "sliding", concurrency: 4 })],
    duration: spread,
  },
  "two limits": {
    tasks: 200,
    limits: [
      { limit: defineLimit("crawl", { rate: "2/3s", provider: "sliding" }), keys: 6 },
      defineLimit("egress", { rate: "30/20s", provider: "sliding", concurrency: 8 }),
    ],
    duration: spread,
    concurrency: 12,
  },
  "keys that are met unevenly": {
    tasks: 200,
    limits: [{ limit: defineLimit("crawl", { rate: "3/5s", provider: "sliding", concurrency: 2 }), keys: [6, 3, 1, 1] }],
    duration: spread,
    concurrency: 6,
  },
  "a bucket": {
    tasks: 200,
    limits: [defineLimit("vendor-api", { rate: "7/3s", provider: "bucket", burst: 20 })],
    duration: "300ms",
  },
  "fixed windows": {
    tasks: 150,
    limits: [defineLimit("vendor-api", { rate: "10/15s", provider: "fixed" })],
    duration: "300ms",
  },
  "costs, and several rates of one limit": {
    tasks: 150,
    limits: [{ limit: defineLimit("tokens", { rate: ["30/5s", "200/1m"], provider: "sliding" }), cost: 4 }],
    duration: "500ms",
  },
  "slots that are paid by cost": {
    tasks: 100,
    limits: [{ limit: defineLimit("memory", { concurrency: 10 }), cost: 3 }],
    duration: spread,
    seed: 7,
  },
  "tasks that come one after the other": {
    tasks: 150,
    limits: [defineLimit("vendor-api", { rate: "9/2s", provider: "sliding", concurrency: 8 })],
    duration: spread,
    arrivals: "5/s",
  },
}

describe("a simulation agrees with a real run", () => {
  for (const [name, options] of Object.entries(cases)) {
    for (const store of ["memory", "sqlite"]) {
      it(`${name}, on ${store}`, { timeout: 120_000 }, async () => {
        const told = simulate(options)
        const url = store === "memory" ? "memory:" : `sqlite:${join(folder, `${name}.db`)}?durability=normal`
        const real = await realRun(options, url)
        ok(told.endMs !== null)
        const error = Math.abs(told.endMs - real.endMs) / real.endMs
        ok(error <= 0.05, `${told.endMs} ms were told, ${real.endMs} ms it took: off by ${(error * 100).toFixed(1)} %`)
      })
    }
  }
})

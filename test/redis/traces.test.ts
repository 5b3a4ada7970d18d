// The algebra of gates means the same in Lua: random traces are played here and inside Redis, many to a call, and compared after each
// step, to the last bit. SLUICE_PROPERTY_RUNS=100000 plays more.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { toText } from "../../src/stores/redis/request.ts"
import { sharedRedis } from "../engines/redis.ts"
import { redisAdmin } from "../engines/redis-admin.ts"
import { runs } from "../property/runs.ts"
import { expectedOf, toldBy, traceOf, vectors } from "../vectors/vectors.ts"
import { play, type Trace } from "./player.ts"
import { trace } from "./traces.ts"

const perCall = 50

/** Without nulls, and with every empty object as an empty array: what Lua cannot tell apart. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return entries.length === 0 ? [] : Object.fromEntries(entries.map(([name, one]) => [name, plain(one)]))
}

/** Plays traces inside Redis, many to a call. */
async function player(test: TestContext) {
  const admin = await redisAdmin(await sharedRedis())
  test.after(() => admin.close())
  const sha = await admin.text("SCRIPT", "LOAD", readFileSync(new URL("play.lua", import.meta.url), "utf8"))
  return async (traces: readonly Trace[]) =>
    ((await admin.reply("EVALSHA", sha, "0", ...traces.map(toText))) as readonly string[]).map((text) => plain(JSON.parse(text)))
}

describe("the algebra of gates in Lua", () => {
  it("keeps the shared vectors", async (test) => {
    const played = await player(test)
    const there = (await played(vectors.map(traceOf))) as (readonly { readonly atUs?: number }[])[]
    for (const [i, vector] of vectors.entries()) assert.deepEqual(toldBy(there[i] ?? []), expectedOf(vector), vector.name)
  })

  it("plays every trace as TypeScript does", { timeout: 600_000 }, async (test) => {
    const played = await player(test)
    for (let left = runs(5_000), seed = fc.readConfigureGlobal().seed ?? Date.now(); left > 0; left -= perCall, seed++) {
      const traces = fc.sample(trace, { numRuns: perCall, seed })
      const there = await played(traces)
      for (const [i, one] of traces.entries()) {
        for (const [step, here] of play(one).entries()) {
          const seen = (there[i] as readonly unknown[])[step]
          const told = () => `seed ${seed}, trace ${i}: ${JSON.stringify({ ...one, steps: one.steps.slice(0, step + 1) })}`
          if (!isDeepStrictEqual(seen, plain(here))) assert.deepEqual(seen, plain(here), told())
        }
      }
    }
  })
})

// Requests that no client of ours sends: names of operations, epochs, clocks and JSON of any kind, and requests that are nearly right. The
// script answers, with an error or with what it has; the server lives on, no step goes on for ever, and what was there can still be asked.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type Operation, operations } from "../../src/store/contract.ts"
import { open } from "../../src/stores/redis/index.ts"
import { Invoker } from "../../src/stores/redis/invoke.ts"
import { toText } from "../../src/stores/redis/request.ts"
import { readScript } from "../../src/stores/redis/script-text.ts"
import { runs } from "../property/runs.ts"
import { hostileTexts } from "./corpus.ts"
import { BoundedWorld, operate, requests } from "./operate.ts"
import { makeFullRedis } from "./redis-full.ts"

const full = await makeFullRedis()
const invoker = new Invoker(readScript())
const epoch = String(await full.client.send(["HGET", `${full.base}meta`, "epoch"]))
const clock = String(full.nowMs)
const known = requests(full)

const numbers = ["-1", "0", "1e300", "1e400", "inf", "-inf", "nan", "0x10", "0.5", "9007199254740993", "99999999999999999999", " 7", ""]
const names = ["open", "get", "constructor", "__index", "__proto__", "toString", "describe", "wait", "close", "EXCHANGE", "sweep\0"]
const texts = [...hostileTexts, ...numbers, "[".repeat(2_000), '{"a":'.repeat(900), "null", "[]", "{}", "[1e999]", '{"ids":', '"\\ud800"']

/** What the server says to it: the kind of the answer, or the error that it raised. */
async function asked(...values: readonly string[]): Promise<string> {
  try {
    const [kind] = (await invoker.invoke(full.client, full.base, () => values)) as Buffer[]
    return String(kind)
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
}

/** A request that is right but for one value in it. */
const nearlyRight = fc.record({ operation: fc.nat(), request: fc.nat(), place: fc.nat(), by: fc.nat() })
const values: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 1e15, 1e300, "", "x", "\u0000", [], {}, [null], [[]], { a: 1 }, "__index", "a".repeat(5_000)],
  ...numbers.map((text) => `raw ${text}`),
]

function mutated({ operation, request, place, by }: typeof nearlyRight extends fc.Arbitrary<infer T> ? T : never): [string, string] {
  const changing = operations.filter((name) => name !== "describe" && known[name].length > 0)
  const name = changing[operation % changing.length] as Operation
  const copy = JSON.parse(toText({ root: known[name][request % known[name].length] })) as { root: unknown }
  const places = placesIn(copy)
  const [of, key] = places[place % places.length] as [Record<string, unknown>, string]
  of[key] = values[by % values.length]
  // What JSON cannot say, but some read.
  return [name, toText(copy.root ?? null).replace(/"raw ([^"]*)"/g, (_all, raw: string) => (raw === "" ? "nan" : raw))]
}

function placesIn(node: unknown): [Record<string, unknown>, string][] {
  if (typeof node !== "object" || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => [[node as Record<string, unknown>, key] as [never, string], ...placesIn(value)])
}

describe("fuzz: what comes over the wire to Redis", () => {
  it("an operation that nobody knows, a clock that is none and JSON that is none are refused", async () => {
    await full.putBack()
    await full.survives(async () => {
      for (const name of [...names.slice(2), ...hostileTexts]) {
        const isKnown = operations.some((operation) => operation === name && operation !== "describe")
        if (!isKnown) assert.equal(await asked(name, epoch, clock, "{}"), "error", `operation ${JSON.stringify(name)}`)
      }
      for (const name of ["open", "now", "exchange"])
        for (const time of numbers.filter((text) => text !== "" && !["-1", "0", "0x10", " 7"].includes(text)))
          assert.equal(await asked(name, epoch, time, "{}"), "error", `${name} at ${time}`)
      for (const text of texts.filter((one) => !isObject(one)))
        assert.equal(await asked("get", epoch, clock, text), "error", `get ${text.slice(0, 40)}`)
      for (const other of [...hostileTexts, "", epoch.toUpperCase()].filter((one) => one !== epoch))
        assert.equal(await asked("now", other, clock, "{}"), "lost", `epoch ${JSON.stringify(other)}`)
      for (const some of [[], ["now"], ["now", epoch], ["now", epoch, clock]])
        assert.match(await asked(...some), /^(error|lost)$/, `${some.length} values`)
    })
    // None of it has left a trace.
    await full.survives(() => operateAll([]))
  })

  it("anything at all is answered", async () => {
    const text = fc.oneof(fc.constantFrom(...texts), fc.string(), fc.json())
    const name = fc.oneof(fc.constantFrom<string>(...operations), fc.constantFrom(...names), fc.string())
    const time = fc.oneof(fc.constant(clock), fc.constantFrom(...numbers), fc.string())
    await full.putBack()
    await full.survives(() =>
      fc.assert(
        fc.asyncProperty(name, fc.constantFrom(epoch, epoch, epoch, ""), time, text, async (...sent) => {
          assert.match(await asked(...sent), /^(ok|error|lost)$/)
        }),
        { numRuns: runs(1_500) },
      ),
    )
  })

  it("a request that is nearly right is answered, and whatever it has left can be asked for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nearlyRight, { minLength: 1, maxLength: 8 }), async (list) => {
        await full.putBack()
        await full.survives(async () => {
          for (const one of list) {
            const [operation, request] = mutated(one)
            const answer = await asked(operation, epoch, clock, request)
            assert.match(answer, /^(ok|error)$/, `${operation} ${request.slice(0, 300)}`)
          }
          await operateAll(["store_damaged", "invalid_option"])
        })
      }),
      { numRuns: runs(15) },
    )
  })
})

function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object" && JSON.parse(text) !== null && !Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

async function operateAll(codes: Parameters<typeof operate>[2]): Promise<void> {
  const store = await open({ url: full.url, namespace: "default", world: new BoundedWorld({ startMs: full.nowMs }) })
  await operate(store, full, codes)
  await store.close()
}

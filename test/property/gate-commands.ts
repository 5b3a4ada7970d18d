// Commands for a queue with limits of every kind, small and short enough to be full most of the time.

import fc from "fast-check"
import { act, aDay, exchange, leaseMs, mostly, others, pick, route, submit, types, worker } from "./commands.ts"
import { largestCost, type Policy, type Rate } from "./gate-book.ts"

export const limitNames = ["api", "cpu", "mix"] as const
export const keys = ["", "a", "b"] as const

const second = 1_000_000
const rate = (limit: number, perUs: number, more: Partial<Rate> = {}): Rate => {
  return { limit, perUs, provider: "sliding", burst: limit, phaseUs: 0, guardUs: 0, slackUs: 0, ...more }
}
const policy = (rates: readonly Rate[], concurrency: number | null = null): Policy => ({ rates, concurrency })

/** What each limit may be. Short windows, so that a run sees many of them. */
const kinds = {
  api: [
    policy([rate(2, second)]),
    policy([rate(3, 2_500_000)]),
    policy([rate(3, second, { provider: "fixed", phaseUs: 300_000, guardUs: 20_000 })]),
    policy([rate(2, second, { provider: "bucket", burst: 3 })]),
    policy([rate(2, 7 * second, { provider: "bucket", burst: 2 })]),
    policy([rate(3, second, { provider: "unknown", slackUs: 500_000 })]),
  ],
  cpu: [policy([], 1), policy([], 2), policy([], 3)],
  mix: [
    policy([rate(3, second), rate(5, 5 * second)]),
    policy([rate(4, second)], 2),
    policy([rate(2, second, { provider: "bucket", burst: 3 }), rate(6, 10 * second)], 3),
    policy([rate(2, second, { provider: "fixed" }), rate(3, 3 * second)], 2),
  ],
} satisfies Record<(typeof limitNames)[number], readonly Policy[]>

const limit = fc.constantFrom(...limitNames)
/** Most of them the same, so that lanes meet. */
const key = mostly<string>(...keys)
/** The script brings it down to what can pass, but for the rare 9. */
const cost = fc.oneof(
  ...(
    [
      [1, 60],
      [2, 16],
      [3, 12],
      [9, 1],
    ] as const
  ).map(([n, weight]) => ({ weight, arbitrary: fc.constant(n) })),
)

export type Declared = { readonly [K in (typeof limitNames)[number]]: Policy }
export const declared: fc.Arbitrary<Declared> = fc.record({
  api: fc.constantFrom(...kinds.api),
  cpu: fc.constantFrom(...kinds.cpu),
  mix: fc.constantFrom(...kinds.mix),
})

export function helloOf(policies: Partial<Declared>) {
  return {
    types: types.map((type) => ({ type, limits: [...limitNames] })),
    limits: Object.entries(policies).map(([name, policy]) => ({ name, policy })),
  }
}

const gate = fc.record({ limit, key, cost })
/** A gate is passed once, whatever its cost. */
const some = fc.uniqueArray(gate, { maxLength: 3, selector: ({ limit, key }) => `${limit}/${key}` })
const gates = fc.oneof({ weight: 12, arbitrary: some }, { weight: 1, arbitrary: fc.constant(null) })
const spent = fc.array(fc.record({ limit, actual: fc.nat(4) }), { maxLength: 2 })

const untilMs = fc.option(fc.constantFrom(500, 4_000, 100_000), { nil: null })
const change = fc.oneof(
  { weight: 3, arbitrary: act("pause", {}) },
  { weight: 5, arbitrary: act("resume", {}) },
  { weight: 3, arbitrary: act("close", { inMs: fc.constantFrom(1, 1_500, 20_000) }) },
  { weight: 3, arbitrary: act("reset", {}) },
)
const slots = act("set", { override: fc.record({ concurrency: fc.integer({ min: 1, max: 4 }) }), untilMs })
const anything = act("set", {
  override: fc.oneof(
    fc.record({ rates: fc.constantFrom(...[...kinds.api, ...kinds.mix].map(({ rates }) => rates)) }),
    fc.record({ concurrency: fc.integer({ min: 1, max: 4 }) }),
    fc.constant({}),
  ),
  untilMs,
})

/** Other code comes up, and says something else of one limit. */
const redeclared = limitNames.map((name) => fc.constantFrom(...kinds[name]).map((policy): Partial<Declared> => ({ [name]: policy })))

const asks = mostly<readonly number[]>([0, 1], [0], [1])
const rooms = mostly<readonly [number, number]>([100, 100], [100, 0], [0, 100])
const looks = [
  { weight: 1, arbitrary: act("gates", { limit, count: fc.constantFrom(1, 9) }) },
  { weight: 1, arbitrary: act("limits", {}) },
  { weight: 1, arbitrary: act("explain", { pick }) },
  { weight: 1, arbitrary: act("limit-changes", { limit: fc.option(limit), count: fc.constantFrom(2, 50) }) },
  { weight: 1, arbitrary: act("forecast-errors", {}) },
  { weight: 1, arbitrary: act("unrouted", {}) },
] as const

const usual = [
  { weight: 7, arbitrary: submit(gates) },
  { weight: 18, arbitrary: exchange(fc.oneof(fc.constant(null), limit), spent) },
  { weight: 4, arbitrary: act("ask-until-idle", { worker, asks, leaseMs, rooms }) },
  { weight: 4, arbitrary: act("advance", { ms: fc.integer({ min: 1, max: 2_600 }) }) },
  { weight: 1, arbitrary: act("advance", { ms: fc.constant(61_000) }) },
  { weight: 2, arbitrary: act("permit", { pick, limit, cost, withinMs: fc.constantFrom(0, 800, 60_000) }) },
  { weight: 1, arbitrary: route(gates) },
  ...others,
] as const

/** Limits change in every way: for two stores that are compared. */
export const gateCommands = played(
  fc.oneof(
    ...usual,
    ...looks,
    aDay,
    { weight: 2, arbitrary: act("change", { limit: fc.constantFrom(...limitNames, "nobody"), key, change: fc.oneof(change, anything) }) },
    { weight: 1, arbitrary: act("hello", { worker, limits: fc.oneof(...redeclared) }) },
  ),
)

/** Limits change in ways that an observer can follow from outside: rates stay what they are, and slots stay slots. */
export const lawfulCommands = played(
  fc.oneof(
    ...usual,
    { weight: 2, arbitrary: act("change", { limit, key, change }) },
    { weight: 1, arbitrary: act("change", { limit: fc.constant("cpu" as const), key, change: slots }) },
  ),
)

function played<T>(command: fc.Arbitrary<T>) {
  return fc.tuple(submit(gates), fc.array(command, { maxLength: 60, size: "max" })).map(([first, rest]) => [first, ...rest])
}

export type GateCommand = typeof gateCommands extends fc.Arbitrary<readonly (infer T)[]> ? T : never

export function largestOf(policies: Declared): Record<string, number> {
  return Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, largestCost(policy)]))
}

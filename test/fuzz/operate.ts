// Everything that can be asked of a store, asked of one that may be damaged: each is answered, or refused with an error of the
// table, in a bounded number of steps.

import assert from "node:assert/strict"
import { setImmediate as turn } from "node:timers/promises"
import type { ErrorCode } from "../../src/errors/index.ts"
import { type Operation, operations, type Store, type SweepAnswer } from "../../src/store/contract.ts"
import type { ExchangeAnswer } from "../../src/store/exchange-contract.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { completed, failed, said } from "../../src/testing/conformance/outcomes.ts"
import { rate, slots, through } from "../../src/testing/conformance/policies.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type Contents, scheduleOf } from "./full-store.ts"
import { assertRefusal, inTime } from "./refusal.ts"

/** A step that never ends is ended, and told. */
export class BoundedWorld extends VirtualWorld {
  override turn(run: () => void): void {
    super.turn(() => inTime(run))
  }
}

type Requests = { readonly [Name in Operation]: readonly Parameters<Store[Name]>[0][] }

/** What is asked by name: moved by hand, and so allowed to change. */
const moved = { cancel: "first", retry: "broken", archive: "done", expire: "second" } as const

export function movedIds({ ids }: Contents): ReadonlySet<string> {
  return new Set(Object.values(moved).map((name) => ids[name] ?? ""))
}

export function requests({ ids, statuses, nowMs }: Contents): Requests {
  const all = [...statuses.keys()]
  const id = (name: string) => ids[name] ?? ""
  const newTask = {
    ...{
      id: "new",
      type: "mail",
      input: "{}",
      priority: 0,
      tags: ["x"],
      jobId: null,
      flow: "red",
      gates: [],
      schedule: null,
      expiry: null,
    },
    ...{ maxRetries: 3, maxReschedules: null, maxThrottles: null, timeoutMs: 60_000, idempotencyKey: null, inputDigest: null },
  }
  const held = { id: id("running"), fence: 1 }
  const exchange = { workerId: "worker-2", settles: [], heartbeats: [], leaseMs: 30_000, claim: null }
  return {
    hello: [
      { workerId: "worker-2", types: [{ type: "mail", limits: [] }], limits: [{ name: "vendor", policy: slots(2, rate(3, 60_000)) }] },
    ],
    submit: [
      { tasks: [newTask, { ...newTask, id: "again", idempotencyKey: "order-7", inputDigest: "d" }] },
      { tasks: [{ ...newTask, id: "gated", type: "call", gates: through("vendor", "k1") }] },
      { tasks: [{ ...newTask, id: "large", input: JSON.stringify("y".repeat(3_000)) }] },
    ],
    unrouted: [{ types: ["odd", "mail"], limit: 10 }],
    route: [{ routes: [{ id: id("unrouted"), gates: through("vendor", "k1"), flow: null }] }],
    exchange: [
      { ...exchange, settles: [said(held, completed('"done"')), said({ id: id("passing"), fence: 1 }, failed())] },
      { ...exchange, workerId: "worker-1", heartbeats: [{ id: id("stopping"), fence: 1, progress: "1" }] },
    ],
    hold: [
      {
        ...{ ownerId: "caller-2", number: 1, leaseMs: 30_000, sinceMs: 0 },
        release: [{ id: "held", spent: 1, sentAgoMs: 5, respondedAgoMs: 1, rttMs: 4, heard: [] }],
        renew: [{ id: "standing" }, { id: "held" }],
        adopt: [{ id: "adopted", limit: "vendor", key: "k1", cost: 1, isFurther: false }],
        acquire: [{ id: "asked", limit: "vendor", key: "k1", cost: 1, isFurther: false, waitMs: 1_000 }],
        shares: [{ limit: "vendor", from: 0, to: 100, fallbackMs: 60_000, isUsing: true, isLeaving: false }],
      },
    ],
    permit: [{ id: id("passing"), fence: 1, limit: "vendor", cost: 1, withinMs: 1_000 }],
    get: [{ ids: all }, { ids: [id("waiting"), "nobody"] }],
    list: [
      everything,
      { ...everything, tag: "nightly", statuses: ["pending", "failed"], createdFromMs: 0, createdBeforeMs: nowMs, limit: 2 },
    ],
    history: all.map((one) => ({ id: one })),
    counts: [{ type: null }, { type: "mail" }],
    cancel: [{ ids: [id(moved.cancel)] }],
    retry: [{ ids: [id(moved.retry)] }],
    archive: [{ ids: [id(moved.archive)] }],
    expire: [{ ids: [id(moved.expire)] }],
    jobs: [{ ids: null, name: null, statuses: null, beforeSeq: null, limit: 10 }],
    job: [{ id: id("job") }],
    changeJob: [{ id: id("job"), change: { kind: "close" } }],
    explain: all.map((one) => ({ id: one })),
    limits: [{ names: null }, { names: ["vendor", "nobody"] }],
    gates: ["vendor", "counted", "refilled"].flatMap((limit) => [
      { limit, keys: null, afterKey: null, count: 50 },
      { limit, keys: ["k1", "k9", ""], afterKey: null, count: 50 },
    ]),
    changeLimit: [
      { limit: "vendor", key: "k1", change: { kind: "pause" }, by: "me" },
      { limit: "counted", key: "", change: { kind: "reset" }, by: "me" },
      { limit: "refilled", key: "k8", change: { kind: "resume" }, by: "me" },
    ],
    limitChanges: [{ limit: null, beforeNumber: null, count: 100 }],
    forecastErrors: [{}],
    workers: [{ limit: 10 }],
    waiting: [{ afterSeq: 0, expiringWithinMs: 300_000, limit: 100 }],
    saveSchedule: [
      { schedule: scheduleOf("nightly", newTask, "0 3 * * *"), nextAtMs: nowMs + 1_000 },
      { schedule: scheduleOf("another", newTask, "0 4 * * *"), nextAtMs: nowMs },
    ],
    schedules: [
      { names: null, afterName: null, count: 100 },
      { names: ["nightly", "paused", "nobody"], afterName: null, count: 100 },
    ],
    dueSchedules: [{ count: 100 }],
    changeSchedule: [
      { name: "paused", change: { kind: "resume", nextAtMs: nowMs + 60_000 } },
      { name: "weekly", change: { kind: "pause" } },
      { name: "nobody", change: { kind: "remove" } },
    ],
    fire: [
      {
        fires: ["hourly", "gated", "weekly"].map((name) => {
          return { name, atMs: nowMs - 1_000, version: 1, runs: [{ id: `run-${name}`, atMs: nowMs - 1_000 }], nextAtMs: nowMs + 60_000 }
        }),
      },
    ],
    sweep: [],
    now: [{}],
    describe: [{}],
  }
}

/** Asks for everything, in the order of the contract, with claims and sweeps to their end after it. */
export async function operate(store: Store, full: Contents, codes: readonly ErrorCode[]): Promise<void> {
  const asked = requests(full)
  const ask = async <T>(call: () => Promise<T>) => (await askAll([call], codes))[0] ?? null
  for (const operation of operations) {
    await askAll(
      asked[operation].map((request) => () => store[operation](request as never) as Promise<unknown>),
      codes,
    )
  }
  for (const type of ["mail", "call", "odd"]) await claimAll(store, type, ask)
  await sweepAll(store, ask)
  await waitOnce(store)
}

type Ask = <T>(call: () => Promise<T>) => Promise<T | null>

/** A worker with room asks again for as long as it is told to; that has to come to an end. It numbers its claims by the store's clock. */
async function claimAll(store: Store, type: string, ask: Ask): Promise<void> {
  let number = 0
  for (let times = 0; ; times++) {
    assert.ok(times < 1_500, `a worker that claims ${type} is sent back and forth for ever`)
    const answer: ExchangeAnswer | null = await ask(() =>
      store.exchange({
        workerId: "worker-1",
        ...{ settles: [], heartbeats: [], leaseMs: 30_000 },
        claim: { number: ++number, types: [{ type, room: 100 }], max: 100 },
      }),
    )
    if (!answer) return
    number = Math.max(number, answer.nowMs * 1_000)
    if (!answer.more && (answer.nextAtMs === null || answer.nextAtMs > answer.nowMs)) return
  }
}

async function sweepAll(store: Store, ask: Ask): Promise<void> {
  for (let times = 0; ; times++) {
    assert.ok(times < 50, "a sweep that does not end")
    const backoff = { baseMs: 1_000, factor: 2, capMs: 60_000 }
    const answer: SweepAnswer | null = await ask(() => store.sweep({ backoff, random: 0, retentionMs: null }))
    if (!answer?.more) return
  }
}

/** Whoever waits is woken, or goes when he is told to. */
async function waitOnce(store: Store): Promise<void> {
  const controller = new AbortController()
  const waiting = store.wait({ workerId: "worker-1" }, controller.signal)
  await turn()
  controller.abort()
  await waiting
}

/** At once, as several callers would; each answer by itself. */
async function askAll<T>(calls: readonly (() => Promise<T>)[], codes: readonly ErrorCode[]): Promise<(T | null)[]> {
  const answers = await Promise.allSettled(inTime(() => calls.map((call) => call())))
  return answers.map((answer) => {
    if (answer.status === "fulfilled") return answer.value
    assertRefusal(answer.reason, codes)
    return null
  })
}

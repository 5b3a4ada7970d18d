// Everything that a store says in one moment, through its contract alone: what a crash may leave is one of two of these.

import { deepEqual } from "node:assert/strict"
import type { LoggedChange, Store } from "../../src/store/index.ts"
import type { TaskRecord } from "../../src/task/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { types } from "./tasks.ts"

export interface Snapshot {
  readonly tasks: readonly TaskRecord[]
  readonly changes: readonly LoggedChange[]
  readonly [part: string]: unknown
}

/** More than the script ever makes, so that one page is all. */
const count = 1_000

export async function takeSnapshot(store: Store): Promise<Snapshot> {
  const { tasks } = await store.list({ ...everything, limit: count })
  const ids = tasks.map(({ id }) => id)
  const waiting = tasks.filter(({ status }) => status === "pending")
  const { limits } = await store.limits({ names: null })
  return byPlace({
    tasks,
    changes: (await store.limitChanges({ limit: null, beforeNumber: null, count })).changes,
    now: await store.now({}),
    histories: await each(ids, (id) => store.history({ id })),
    explanations: await each(waiting, ({ id }) => store.explain({ id })),
    counts: await each([null, ...Object.keys(types)], (type) => store.counts({ type })),
    limits,
    gates: await each(limits, ({ name: limit }) => store.gates({ limit, keys: null, afterKey: null, count })),
    unrouted: await store.unrouted({ types: Object.keys(types), limit: count }),
    forecastErrors: await store.forecastErrors({}),
    schedules: await store.schedules({ names: null, afterName: null, count }),
    dueSchedules: await store.dueSchedules({ count }),
  })
}

/** Tasks by their places in the list: how far their numbers are apart is a store's own affair, and a call that failed may have taken some. */
function byPlace(snapshot: Snapshot): Snapshot {
  const places = new Map(snapshot.tasks.map(({ seq }, i) => [seq, snapshot.tasks.length - i]))
  return JSON.parse(JSON.stringify(snapshot, (key, value) => (key === "seq" ? places.get(value) : value))) as Snapshot
}

async function each<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = []
  for (const item of items) answers.push(await ask(item))
  return answers
}

/** Equal in every part; where not, the failure shows the part. */
export function sameSnapshot(actual: Snapshot, expected: Snapshot, message: string): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  for (const part of Object.keys(expected)) deepEqual(actual[part], expected[part], `${message}: ${part} differ`)
}

/** Without what a repeated call may leave: a line of the log that says the same again. */
export function withoutRepeats(snapshot: Snapshot): Snapshot {
  const said = snapshot.changes.map(({ number: _number, ...change }) => change)
  const isSaidBefore = (i: number) => JSON.stringify(said[i]) === JSON.stringify(said[i + 1])
  return { ...snapshot, changes: said.filter((_change, i) => !isSaidBefore(i)) as LoggedChange[] }
}

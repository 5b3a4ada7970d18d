// A database with something of everything in it: tasks in all statuses, lanes, gates with holders, waiters and a cooldown, limits
// with settings and a change log, workers, a second namespace. Made once; every run damages a copy.

import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { GatePolicy } from "../../src/limits/index.ts"
import type { Store } from "../../src/store/contract.ts"
import { openDatabase } from "../../src/stores/sqlite/driver.ts"
import { open } from "../../src/stores/sqlite/index.ts"
import type { NewSchedule, NewTask, Status } from "../../src/task/index.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { startJob } from "../../src/testing/conformance/job-kit.ts"
import { completed, failed, rescheduled, retried, said, throttled } from "../../src/testing/conformance/outcomes.ts"
import { rate, slots, through } from "../../src/testing/conformance/policies.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"

export interface FullStore extends Contents {
  /** The file as it is after everybody has closed it. */
  readonly file: Buffer
  /** The file and its log as a crash leaves them. */
  readonly crashed: { readonly file: Buffer; readonly log: Buffer }
}

/** What was put into a store. */
export interface Contents {
  readonly nowMs: number
  /** Statuses of the tasks in the namespace "default", by id. */
  readonly statuses: ReadonlyMap<string, Status>
  /** Tasks to try things on, by what is special about them. */
  readonly ids: Readonly<Record<string, string>>
}

const window: GatePolicy = slots(2, rate(3, 60_000, { provider: "unknown", slackUs: 500_000 }))
const counted: GatePolicy = { rates: [rate(5, 60_000, { provider: "fixed", guardUs: 1_000 })], concurrency: null }
const refilled: GatePolicy = { rates: [rate(10, 60_000, { provider: "bucket", burst: 4 })], concurrency: 3 }

export async function makeFullStore(): Promise<FullStore> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-full-store-"))
  const path = join(folder, "full.db")
  try {
    const world = new VirtualWorld()
    const store = await open({ url: `sqlite:${path}?durability=normal`, namespace: "default", world })
    const other = await open({ url: `sqlite:${path}?durability=normal`, namespace: "other", world })
    const contents = await fill(store, other, world)
    const crashed = copies(path, folder)
    await other.close()
    await store.close()
    return { file: await closedFile(path), crashed, ...contents }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Something of everything, and a little in another namespace. */
export async function fill(store: Store, other: Store, world: VirtualWorld): Promise<Contents> {
  const desk = new Desk(store, world)
  const ids = await fillTasks(desk)
  Object.assign(ids, await fillGates(desk))
  ids.job = await startJob(desk, 2, { isOpen: true, concurrency: 1, onComplete: desk.newTask({ type: "report" }) }, { type: "odd" })
  await fillSchedules(desk)
  await fillCalls(desk)
  await new Desk(other, world).submitMany(2)
  const statuses = new Map((await desk.list()).map(({ id, status }) => [id, status]))
  return { nowMs: await desk.nowMs(), statuses, ids }
}

/** With all of its log in it. A connection that was closed may hold on to it until it is collected, so it is asked for by name. */
export async function closedFile(path: string): Promise<Buffer> {
  const database = await openDatabase(path)
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").rows()
  database.close()
  return readFileSync(path)
}

/** By another process: one that opens the file here and closes it again would take this process's locks with it. */
function copies(path: string, folder: string): FullStore["crashed"] {
  const to = [join(folder, "copy"), join(folder, "copy-wal")] as const
  execFileSync("cp", [path, to[0]])
  execFileSync("cp", [`${path}-wal`, to[1]])
  return { file: readFileSync(to[0]), log: readFileSync(to[1]) }
}

async function fillTasks(desk: Desk): Promise<Record<string, string>> {
  const worker = desk.worker("worker-1")
  const run = async (fields: Parameters<Desk["submit"]>[0], ...outcomes: Parameters<typeof worker.settle>[1][]) => {
    const { id } = await desk.submit({ priority: 9, ...fields })
    for (const outcome of outcomes) await worker.settle(await worker.claimOne({ max: 1 }), outcome)
    return id
  }
  const done = await run({ tags: ["nightly", "x"], idempotencyKey: "order-7", inputDigest: "d" }, completed('{"n":1}'))
  const broken = await run({ input: JSON.stringify("x".repeat(2_000)) }, retried(), failed("no \u001b[31mway"))
  const putAway = await run({}, completed())
  await desk.move("archive", { id: putAway })
  const old = await run({ maxRetries: 1_000 }, ...Array.from({ length: 51 }, () => rescheduled(0, 0, "later")), completed())
  const [stopped, late] = [await run({}), await run({ expiry: { inMs: 60_000 } })]
  await desk.move("cancel", { id: stopped })
  await desk.move("expire", { id: late })
  const [lost, running, stopping] = [await run({ maxRetries: 3 }), await run({}), await run({})]
  const held = await worker.claim({ max: 3 })
  await worker.exchange({ leaseMs: 10_000_000, heartbeats: held.slice(1).map(({ id, fence }) => ({ id, fence, progress: '{"at":50}' })) })
  await desk.move("cancel", { id: stopping })
  await desk.world.advance(60_000)
  const overdue = await run({ priority: 0, flow: "red", expiry: { inMs: 1_000 } })
  await desk.world.advance(2_000)
  const scheduled = await run({ priority: 0, schedule: { inMs: 600_000 }, expiry: { inMs: 900_000 } })
  const due = await run({ priority: 0, schedule: { inMs: 500 } })
  await desk.world.advance(1_000)
  const [first, second] = [await run({ priority: 1, flow: "red", tags: ["nightly"] }), await run({ priority: 0, flow: "blue" })]
  return { done, broken, putAway, old, stopped, late, lost, running, stopping, overdue, scheduled, due, first, second }
}

async function fillGates(desk: Desk): Promise<Record<string, string>> {
  const types = [
    { type: "mail", limits: [] },
    { type: "call", limits: ["counted", "refilled", "vendor"] },
  ]
  const limits = [
    { name: "vendor", policy: window },
    { name: "counted", policy: counted },
    { name: "refilled", policy: refilled },
  ]
  await desk.store.hello({ workerId: "worker-2", types, limits })
  await desk.store.hello({ workerId: "worker-3", types: [], limits: [{ name: "counted", policy: slots(7) }] })
  for (const { name } of limits) desk.declare(name, name === "vendor" ? window : name === "counted" ? counted : refilled)
  const call = { type: "call", flow: "acme" }
  const [passing, ...waiting] = await desk.submitMany(5, { ...call, gates: [...through("vendor", "k1"), ...through("refilled", "k1", 2)] })
  const [cooling] = await desk.submitMany(3, { ...call, flow: "umbrella", gates: through("counted", "k2") })
  const worker = desk.worker("worker-2")
  const claimed = await worker.claim({ types: [{ type: "call", room: 9 }], max: 4 })
  const refused = claimed.find(({ id }) => id === cooling?.id)
  if (refused) await worker.exchange({ settles: [said(refused, throttled(0, 429, { retryAfterMs: 30_000 }))] })
  await worker.claim({ types: [{ type: "call", room: 9 }], max: 9 })
  const unrouted = await desk.submit({ type: "odd", gates: null })
  await desk.change("vendor", { kind: "set", override: { concurrency: 4 }, untilMs: (await desk.nowMs()) + 3_600_000 })
  await desk.change("vendor", { kind: "pause" }, "k9")
  await desk.change("refilled", { kind: "close", untilMs: (await desk.nowMs()) + 60_000 }, "k8")
  return { passing: passing?.id ?? "", waiting: waiting.at(-1)?.id ?? "", cooling: cooling?.id ?? "", unrouted: unrouted.id }
}

export function scheduleOf(name: string, task: NewTask, cron = "0 * * * *"): NewSchedule {
  const { id: _id, idempotencyKey: _key, schedule: _schedule, ...template } = task
  return { name, cron, timezone: "Europe/Vienna", catchUp: { all: 3 }, template: { ...template, inputDigest: "d" } }
}

/** Some that are due, one of them behind a gate, one that is to come, and one that is paused. */
async function fillSchedules(desk: Desk): Promise<void> {
  const nowMs = await desk.nowMs()
  const save = (name: string, atMs: number, fields: Partial<NewTask> = {}) =>
    desk.store.saveSchedule({ schedule: scheduleOf(name, desk.newTask(fields)), nextAtMs: atMs })
  await save("hourly", nowMs - 1_000)
  await save("gated", nowMs - 1_000, { type: "call", gates: through("vendor", "k1") })
  await save("weekly", nowMs + 3_600_000, { input: JSON.stringify("x".repeat(2_000)) })
  await save("paused", nowMs + 1_000)
  await desk.store.changeSchedule({ name: "paused", change: { kind: "pause" } })
}

/** Calls outside the queue: one that holds, one that waits behind it, and a process with a share. */
async function fillCalls(desk: Desk): Promise<void> {
  await desk.declare("called", slots(1))
  const caller = desk.caller("caller-1")
  for (const id of ["held", "standing"]) await caller.acquire("called", { id, key: "k1" })
  await caller.share("called", { from: 10, to: 20 })
}

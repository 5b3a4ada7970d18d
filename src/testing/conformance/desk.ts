// One connection to a store, with shortcuts that fill in what a test does not care about. A shortcut that a test does not
// expect to fail asserts that it did not.

import { equal, ok } from "node:assert/strict"
import type { GatePolicy } from "../../limits/index.ts"
import type { ListRequest, MoveResult, Store, SweepAnswer, SweepRequest } from "../../store/contract.ts"
import type { Explanation, Forecast, GateReport, HelloAnswer, LimitChange, LimitReport } from "../../store/limits-contract.ts"
import { idMaker, type NewTask, type NumberedEntry, type Status, statuses, type TaskRecord } from "../../task/index.ts"
import type { VirtualWorld } from "../virtual-world.ts"
import { only } from "./assertions.ts"
import { TestCaller } from "./test-caller.ts"
import { TestWorker } from "./test-worker.ts"

const backoff = { baseMs: 1_000, factor: 2, capMs: 60_000 }

export class Desk {
  readonly store: Store
  readonly world: VirtualWorld
  private readonly nextId: () => string
  /** The limits that this desk, or another of its namespace, has declared. */
  protected readonly declared: Set<string>

  constructor(store: Store, world: VirtualWorld, declared = new Set<string>()) {
    this.store = store
    this.world = world
    this.declared = declared
    this.nextId = idMaker(world)
  }

  /** Says hello with the limit, as a process that has the code does. Without a policy it holds up nobody. */
  declare(name: string, policy: GatePolicy = { rates: [], concurrency: null }): Promise<HelloAnswer> {
    this.declared.add(name)
    return this.store.hello({ workerId: null, types: [], limits: [{ name, policy }] })
  }

  /** What somebody does to a limit by hand: to one gate of it, or to the whole. */
  async change(limit: string, change: LimitChange, key = ""): Promise<LimitReport> {
    const answer = await this.store.changeLimit({ limit, key, change, by: "me" })
    ok(answer.kind === "ok", `expected the limit ${limit} to be known`)
    return answer.limit
  }

  async gate(limit: string, key = ""): Promise<GateReport> {
    return only((await this.store.gates({ limit, keys: [key], afterKey: null, count: 1 })).gates)
  }

  async explain(task: { readonly id: string }): Promise<Explanation> {
    const { explanation } = await this.store.explain({ id: task.id })
    ok(explanation, `expected task ${task.id} to be there`)
    return explanation
  }

  /** When it is expected to start, as of now; null unless it is pending. */
  async forecast(task: { readonly id: string }): Promise<Forecast | null> {
    return only((await this.store.get({ ids: [task.id] })).forecasts)
  }

  newTask(fields: Partial<NewTask> = {}): NewTask {
    const type = fields.type ?? "mail"
    return {
      id: this.nextId(),
      type,
      input: "{}",
      priority: 0,
      tags: [],
      jobId: null,
      flow: type,
      gates: [],
      schedule: null,
      expiry: null,
      maxRetries: 3,
      maxReschedules: null,
      maxThrottles: null,
      timeoutMs: 60_000,
      idempotencyKey: null,
      inputDigest: null,
      ...fields,
    }
  }

  async submit(fields: Partial<NewTask> = {}): Promise<TaskRecord> {
    return only(await this.submitAll([fields]))
  }

  /** One batch. */
  async submitAll(list: readonly Partial<NewTask>[]): Promise<readonly TaskRecord[]> {
    for (const { limit } of list.flatMap(({ gates }) => gates ?? [])) if (!this.declared.has(limit)) await this.declare(limit)
    const answer = await this.store.submit({ tasks: list.map((fields) => this.newTask(fields)) })
    ok(answer.kind === "ok", `expected the batch to be stored, got ${answer.kind}`)
    equal(answer.tasks.length, list.length)
    return answer.tasks.map(({ task }) => task)
  }

  submitMany(count: number, fields: Partial<NewTask> = {}): Promise<readonly TaskRecord[]> {
    return this.submitAll(Array.from({ length: count }, () => fields))
  }

  worker(workerId = "worker-1"): TestWorker {
    return new TestWorker(this.store, workerId)
  }

  /** A process that makes calls outside the queue. */
  caller(ownerId = "caller-1"): TestCaller {
    return new TestCaller(this.store, ownerId)
  }

  /** One that nobody has heard of: its claims are counted from 1. */
  newWorker(): TestWorker {
    return this.worker(this.nextId())
  }

  async get(task: { readonly id: string }): Promise<TaskRecord> {
    const { tasks } = await this.store.get({ ids: [task.id] })
    const found = only(tasks)
    ok(found, `expected task ${task.id} to be there`)
    return found
  }

  async status(task: { readonly id: string }): Promise<Status> {
    return (await this.get(task)).status
  }

  async history(task: { readonly id: string }): Promise<readonly NumberedEntry[]> {
    const { entries } = await this.store.history({ id: task.id })
    ok(entries, `expected task ${task.id} to have a history`)
    return entries
  }

  async events(task: { readonly id: string }): Promise<string[]> {
    return (await this.history(task)).map(({ event }) => event)
  }

  /** Only the statuses that some task has. */
  async counts(type: string | null = null): Promise<Partial<Record<Status, number>>> {
    const { byStatus } = await this.store.counts({ type })
    return Object.fromEntries(statuses.flatMap((status) => (byStatus[status] === 0 ? [] : [[status, byStatus[status]]])))
  }

  /** Page after page, to the end. */
  async list(fields: Partial<ListRequest> = {}): Promise<readonly TaskRecord[]> {
    const found: TaskRecord[] = []
    let beforeSeq: number | null = null
    do {
      const page: Awaited<ReturnType<Store["list"]>> = await this.store.list({ ...everything, ...fields, beforeSeq })
      found.push(...page.tasks)
      ok(page.nextBeforeSeq === null || beforeSeq === null || page.nextBeforeSeq < beforeSeq, "expected the cursor to move on")
      beforeSeq = page.nextBeforeSeq
    } while (beforeSeq !== null)
    return found
  }

  /** The move is made; its answer, which may be a refusal, is the test's to judge. */
  async move(name: "cancel" | "retry" | "archive" | "expire", task: { readonly id: string }): Promise<MoveResult> {
    const { results } = await this.store[name]({ ids: [task.id] })
    return only(results)
  }

  sweep(fields: Partial<SweepRequest> = {}): Promise<SweepAnswer> {
    return this.store.sweep({ backoff, random: 0, retentionMs: null, ...fields })
  }

  async nowMs(): Promise<number> {
    return (await this.store.now({})).nowMs
  }
}

export const everything: ListRequest = {
  statuses: null,
  type: null,
  tag: null,
  jobId: null,
  createdFromMs: null,
  createdBeforeMs: null,
  beforeSeq: null,
  limit: 100,
}

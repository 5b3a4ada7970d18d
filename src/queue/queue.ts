// The queue as people use it: tasks in, tasks out, on whatever store it was connected to.

import { SluiceError, shown } from "../errors/index.ts"
import type { Simulation } from "../simulate/index.ts"
import { budgets, type ForecastErrors, type MoveRequest, type MoveResult, type Store, type StoreDescription } from "../store/index.ts"
import { describeEntry, IllegalTransitionError, idMaker, type NewTask, type NumberedEntry, type Status } from "../task/index.ts"
import { formatSize, parseName, readOptions } from "../units/index.ts"
import { Worker, type WorkerOptions } from "../worker/index.ts"
import type { World } from "../world/index.ts"
import { type CallsSettings, callsSettings, Holder, LimitCalls } from "./calls/index.ts"
import { Declarations } from "./declarations.ts"
import type { AnyTask, TaskDefinition } from "./definition.ts"
import { Emitter } from "./emitter.ts"
import { type QueueEvents, queueEventNames } from "./events.ts"
import { explanationView, type TaskExplanation } from "./explain.ts"
import type { Job } from "./job.ts"
import { type JobOptions, Jobs, type JobTask, jobEnded, jobNotFound } from "./jobs.ts"
import { type AnyLimit, isLimit } from "./limit.ts"
import { Limits } from "./limits.ts"
import { type ListOptions, listCursor, listRequest, type TaskPage } from "./list.ts"
import { taskNotFound } from "./refusals.ts"
import type { ScheduleOptions } from "./schedule-options.ts"
import type { SavedSchedule } from "./schedule-view.ts"
import { Schedules } from "./schedules.ts"
import { simulateOn } from "./simulate.ts"
import type { SimulateOptions } from "./simulate-options.ts"
import { readSubmitOptions, type SubmitOptions } from "./submit.ts"
import { defaultsOf, inStepSizes, Submitter, typeOf } from "./submitter.ts"
import { Task } from "./task.ts"
import { parseTaskId, parseTaskIds } from "./task-id.ts"
import type { Tracing } from "./tracing.ts"

export interface SubmitManyOptions<Input> extends SubmitOptions {
  /** Options of one task, on top of those of the batch. */
  readonly each?: (input: Input, index: number) => SubmitOptions
  /** A batch too large for one atomic step is refused, unless this allows several. */
  readonly inPieces?: boolean
}

export interface HistoryItem extends Omit<NumberedEntry, "atMs" | "expiresAtMs"> {
  readonly at: Date
  readonly expiresAt?: Date
  /** In words: "Version 3: pending (rescheduled, available_at: +60s, count: 1)". */
  readonly text: string
}

export interface WorkerView {
  readonly id: string
  /** As of its latest claim or hello. */
  readonly types: readonly string[]
  readonly seenAt: Date
  /** Tasks that it holds a lease on. */
  readonly running: number
}

/** One namespace of a store: submit, look, explain, change limits, make workers. Made by `connect`. */
export class Queue {
  readonly store: Store
  readonly world: World
  readonly maxInputBytes: number
  /** Limits and their gates: watch them, change them. */
  readonly limits: Limits
  /** Jobs: watch them, close them, cancel them. */
  readonly jobs: Jobs
  /** What is submitted again and again: watch it, pause it, trigger it. */
  readonly schedules: Schedules
  /** What this process knows of limits. Workers of this queue add to it. */
  readonly declarations: Declarations
  /** Set by whoever traces (`sluice/telemetry`). */
  tracing: Tracing | null = null
  private readonly submitter: Submitter
  private readonly events = new Emitter<QueueEvents>(queueEventNames)
  private readonly calls: CallsSettings
  /** Made when it is needed: most queues are used for tasks alone. */
  private holder: Holder | null = null

  constructor(store: Store, world: World, maxInputBytes: number, calls: CallsSettings = callsSettings()) {
    this.store = store
    this.world = world
    this.maxInputBytes = maxInputBytes
    this.limits = new Limits(store)
    this.jobs = new Jobs(store)
    this.declarations = new Declarations(store, world)
    const makeId = idMaker(world)
    const { events } = this
    this.submitter = new Submitter({ store, declarations: this.declarations, makeId, maxInputBytes, events, tracing: () => this.tracing })
    this.schedules = new Schedules({
      ...{ store, declarations: this.declarations, makeId },
      prepare: (task, input, options) => this.submitter.prepare(task, input, readSubmitOptions(typeOf(task), [defaultsOf(task), options])),
      submit: async (task) => (await this.submitter.submit({ tasks: [task] })).tasks[0] as Task,
    })
    this.calls = calls
  }

  submit<Raw, Parsed, Output>(task: TaskDefinition<Raw, Parsed, Output>, input: Raw, options?: SubmitOptions): Promise<Task<Raw, Output>>
  submit(type: string, input: unknown, options?: SubmitOptions): Promise<Task>
  async submit(task: AnyTask | string, input: unknown, options?: SubmitOptions): Promise<Task> {
    const read = readSubmitOptions(typeOf(task), [defaultsOf(task), options])
    const { tasks } = await this.submitter.submit({ tasks: [await this.submitter.prepare(task, input, read)] }, read.tx)
    return tasks[0] as Task
  }

  /** One batch, all or nothing. */
  submitMany<Raw, Parsed, Output>(
    task: TaskDefinition<Raw, Parsed, Output>,
    inputs: readonly Raw[],
    options?: SubmitManyOptions<Raw>,
  ): Promise<Task<Raw, Output>[]>
  submitMany(type: string, inputs: readonly unknown[], options?: SubmitManyOptions<unknown>): Promise<Task[]>
  async submitMany(task: AnyTask | string, inputs: readonly unknown[], options: SubmitManyOptions<never> = {}): Promise<Task[]> {
    if (!Array.isArray(inputs)) throw new SluiceError("invalid_input", `submitMany: expected an array of inputs, got ${shown(inputs)}`)
    const { each, inPieces, ...batch } = checkMany(options)
    const type = typeOf(task)
    const common = readSubmitOptions(type, [defaultsOf(task), batch])
    const tasks: NewTask[] = []
    for (const [index, input] of inputs.entries()) {
      const own = each ? readSubmitOptions(type, [defaultsOf(task), batch, each(input as never, index)]) : common
      tasks.push(await this.submitter.prepare(task, input, own))
    }
    const pieces = inStepSizes(tasks)
    if (pieces.length > 1 && inPieces !== true) throw tooLarge(tasks)
    const submitted: Task[] = []
    for (const piece of pieces) submitted.push(...(await this.submitter.submit({ tasks: piece }, common.tx)).tasks)
    return submitted
  }

  /** One batch of tasks of any types, all or nothing. */
  async submitEach(tasks: readonly JobTask[]): Promise<Task[]> {
    const prepared = await this.submitter.prepareEach("submitEach", tasks)
    if (inStepSizes(prepared).length > 1) throw tooLarge(prepared)
    return (await this.submitter.submit({ tasks: prepared })).tasks
  }

  /** A named group of tasks, with progress and bounds of its own. Up to a step's worth of tasks is one batch, all or nothing. */
  async submitJob(name: string, tasks: readonly JobTask[], options?: JobOptions): Promise<Job> {
    return this.jobOf(await this.submitter.submitJob(name, tasks, options))
  }

  /** More tasks for a job that runs: one that is open, or one of whose tasks is running. */
  async addToJob(id: string, tasks: readonly JobTask[]): Promise<Job> {
    await this.submitter.addToJob(id, tasks)
    return this.jobOf(id)
  }

  /** A task at each instant of a cron. The same again changes nothing; else it replaces the one of that name. */
  schedule<Raw, Parsed, Output>(
    name: string,
    cron: string,
    options: ScheduleOptions | undefined,
    task: TaskDefinition<Raw, Parsed, Output>,
    input: Raw,
  ): Promise<SavedSchedule>
  schedule(name: string, cron: string, options: ScheduleOptions | undefined, type: string, input: unknown): Promise<SavedSchedule>
  schedule(
    name: string,
    cron: string,
    options: ScheduleOptions | undefined,
    task: AnyTask | string,
    input: unknown,
  ): Promise<SavedSchedule> {
    return this.schedules.save(name, cron, options, task, input)
  }

  async get(id: string): Promise<Task | null> {
    const { tasks, forecasts } = await this.store.get({ ids: [parseTaskId("get", id)] })
    return tasks[0] ? new Task(tasks[0], forecasts[0]) : null
  }

  /** In the order asked; null for what is not there. */
  async getMany(ids: readonly string[]): Promise<(Task | null)[]> {
    const { tasks, forecasts } = await this.store.get({ ids: parseTaskIds("getMany", ids) })
    return tasks.map((task, i) => task && new Task(task, forecasts[i]))
  }

  /** Why it has not started, which gate holds it, and when it will. */
  async explain(id: string): Promise<TaskExplanation> {
    const { explanation } = await this.store.explain({ id: parseTaskId("explain", id) })
    if (!explanation) throw taskNotFound(id)
    return explanationView(explanation)
  }

  /** When so many tasks more would be done, what would bind, and what one unit more would buy. Nothing is submitted. */
  simulate(options: SimulateOptions<AnyLimit | string>): Promise<Simulation> {
    return simulateOn(this.store, options)
  }

  /** How far forecasts at submission were from the true start. */
  forecastErrors(): Promise<ForecastErrors> {
    return this.store.forecastErrors({})
  }

  /** Workers that were heard of lately, by id. */
  async workers(): Promise<WorkerView[]> {
    const { workers } = await this.store.workers({ limit: budgets.listPage })
    return workers.map(({ seenAtMs, ...worker }) => ({ ...worker, seenAt: new Date(seenAtMs) }))
  }

  async list(options?: ListOptions): Promise<TaskPage> {
    let request = listRequest(options)
    const found: Task[] = []
    for (;;) {
      const page = await this.store.list({ ...request, limit: request.limit - found.length })
      found.push(...page.tasks.map((task) => new Task(task)))
      if (page.nextBeforeSeq === null) return { tasks: found, cursor: null }
      if (found.length >= request.limit) return { tasks: found, cursor: listCursor(page.nextBeforeSeq) }
      request = { ...request, beforeSeq: page.nextBeforeSeq }
    }
  }

  async history(id: string): Promise<HistoryItem[]> {
    const { entries } = await this.store.history({ id: parseTaskId("history", id) })
    if (!entries) throw taskNotFound(id)
    return entries.map((numbered) => {
      const { atMs, expiresAtMs, ...entry } = numbered
      const times = { at: new Date(atMs), ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs) }) }
      return { ...entry, ...times, text: describeEntry(numbered) }
    })
  }

  async counts(options?: { readonly type?: string }): Promise<Readonly<Record<Status, number>>> {
    const { type } = readOptions("counts", options, { type: parseName })
    return (await this.store.counts({ type: type ?? null })).byStatus
  }

  /** A pending task ends at once; a running one is asked to stop. */
  cancel(id: string): Promise<Task> {
    return this.move("cancel", id)
  }

  /** Many at once, in one step: what became of each, in the order asked. */
  async cancelMany(ids: readonly string[]): Promise<readonly MoveResult[]> {
    const { results } = await this.store.cancel({ ids: parseTaskIds("cancelMany", ids) })
    this.tellMoved("cancel", results)
    return results
  }

  async retryMany(ids: readonly string[]): Promise<readonly MoveResult[]> {
    return (await this.store.retry({ ids: parseTaskIds("retryMany", ids) })).results
  }

  /** Runs a failed or cancelled task again. An expired one stays expired: it is too late. */
  retry(id: string): Promise<Task> {
    return this.move("retry", id)
  }

  /** Puts a finished task away: it stays, beyond the reach of retention. */
  archive(id: string): Promise<Task> {
    return this.move("archive", id)
  }

  /** Expires a pending task now, whatever its `expiresAt`. */
  markExpired(id: string): Promise<Task> {
    return this.move("expire", id)
  }

  isExpiredAt(task: Task, at: Date): boolean {
    return task.isExpiredAt(at)
  }

  /** The store's clock: the one that decides. It never goes backwards. */
  async now(): Promise<Date> {
    return new Date((await this.store.now({})).nowMs)
  }

  worker(tasks: readonly AnyTask[], options?: WorkerOptions): Worker {
    const worker = new Worker(this, tasks, options)
    this.events.emit("worker.made", { worker })
    return worker
  }

  /** The limit for whoever is no task: a web handler, say. A limit that was defined, or the name of one that some code has declared. */
  limit(limit: AnyLimit | string): LimitCalls {
    if (isLimit(limit)) this.declarations.noteLimit(limit)
    const name = isLimit(limit) ? limit.name : parseName("limit", limit)
    const { store, world, declarations, events, calls: settings } = this
    this.holder ??= new Holder({ store, world, settings, declarations, events })
    return new LimitCalls(name, this.holder, world, settings.waitMs)
  }

  on<Name extends keyof QueueEvents>(name: Name, listener: (event: QueueEvents[Name]) => void): this {
    this.events.on(name, listener)
    return this
  }

  off<Name extends keyof QueueEvents>(name: Name, listener: (event: QueueEvents[Name]) => void): this {
    this.events.off(name, listener)
    return this
  }

  describe(): Promise<StoreDescription> {
    return this.store.describe({})
  }

  async close(): Promise<void> {
    await this.holder?.close()
    await this.store.close()
  }

  private async jobOf(id: string): Promise<Job> {
    const job = await this.jobs.get(id)
    if (!job) throw jobNotFound(id)
    return job
  }

  private async move(name: "cancel" | "retry" | "archive" | "expire", id: string): Promise<Task> {
    const request: MoveRequest = { ids: [parseTaskId(name, id)] }
    const { results } = await this.store[name](request)
    const result = results[0] as MoveResult
    if (result.kind === "missing") throw taskNotFound(id)
    if (result.kind === "job_ended") throw jobEnded(`${name} ${id}`, result.job)
    if (result.kind === "illegal") throw new IllegalTransitionError(id, result.from, result.to)
    this.tellMoved(name, [result])
    return new Task(result.task)
  }

  private tellMoved(name: "cancel" | "retry" | "archive" | "expire", results: readonly MoveResult[]): void {
    if (name !== "cancel") return
    for (const result of results) {
      if (result.kind === "ok") this.events.emit("task.cancelled", { id: result.task.id, type: result.task.type })
    }
  }
}

/** What `newTask` does not see; the rest is checked with each task. */
function checkMany<T extends SubmitManyOptions<never>>(options: T): T {
  const fail = (message: string) => new SluiceError("invalid_option", `submitMany: ${message}`)
  if (typeof options !== "object" || options === null) throw fail(`expected an object of options, got ${shown(options)}`)
  const { each, inPieces } = options
  if (each !== undefined && typeof each !== "function")
    throw fail(`each: expected a function (input, index) => options, got ${shown(each)}`)
  if (inPieces !== undefined && typeof inPieces !== "boolean") throw fail(`inPieces: expected true or false, got ${shown(inPieces)}`)
  return options
}

function tooLarge(tasks: readonly NewTask[]): SluiceError {
  const bytes = tasks.reduce((sum, task) => sum + Buffer.byteLength(task.input), 0)
  return new SluiceError(
    "batch_too_large",
    `submitMany: expected at most ${budgets.submitTasks} tasks and ${formatSize(budgets.submitBytes)} in one atomic batch, got ${tasks.length} and ${formatSize(bytes)}; pass inPieces: true to submit several batches`,
  )
}

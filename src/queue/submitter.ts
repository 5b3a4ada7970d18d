// From what people submit to what the store takes: inputs checked, gates worked out, batches cut to what one step holds.

import { SluiceError, shown } from "../errors/index.ts"
import { budgets, type Store, type SubmitAnswer, type SubmitRequest, type SubmittedTask } from "../store/index.ts"
import type { NewTask } from "../task/index.ts"
import { parseName, readOptions } from "../units/index.ts"
import type { Declarations } from "./declarations.ts"
import { type AnyTask, checkInput, isTaskDefinition, type TaskDefaults } from "./definition.ts"
import type { Emitter } from "./emitter.ts"
import type { QueueEvents } from "./events.ts"
import { jobBounds } from "./job-settings.ts"
import { type JobOptions, type JobTask, jobReaders, readJobTask } from "./jobs.ts"
import { submitRefusal } from "./refusals.ts"
import { newTask, type ReadSubmitOptions, readSubmitOptions } from "./submit.ts"
import { Task } from "./task.ts"
import { flowOf, gatesOf } from "./task-gates.ts"
import type { Tracing } from "./tracing.ts"

export interface SubmitterParts {
  readonly store: Store
  readonly declarations: Declarations
  readonly makeId: () => string
  readonly maxInputBytes: number
  readonly events: Emitter<QueueEvents>
  readonly tracing: () => Tracing | null
}

export class Submitter {
  private readonly store: Store
  private readonly declarations: Declarations
  private readonly makeId: () => string
  private readonly maxInputBytes: number
  private readonly events: Emitter<QueueEvents>
  private readonly tracing: () => Tracing | null

  constructor({ store, declarations, makeId, maxInputBytes, events, tracing }: SubmitterParts) {
    this.events = events
    this.tracing = tracing
    this.store = store
    this.declarations = declarations
    this.makeId = makeId
    this.maxInputBytes = maxInputBytes
  }

  async prepare(task: AnyTask | string, input: unknown, options: ReadSubmitOptions): Promise<NewTask> {
    // Written out: an object made by spreading is a slow one, and there are as many as there are tasks.
    const { maxInputBytes } = this
    if (!isTaskDefinition(task)) {
      const type = typeOf(task)
      const gates = options.gates ?? null
      const flow = options.flow ?? options.job ?? type
      return this.traced(newTask({ id: this.makeId(), type, input, maxInputBytes, options, gates, flow }))
    }
    const checked = await checkInput(task, input)
    if (checked.kind === "refused") throw checked.error
    if (options.gates) throw gatesTwice(task.type)
    const { refs, limits } = gatesOf(task, checked.value)
    this.declarations.note(task.type, limits)
    const { type } = task
    const flow = options.flow ?? flowOf(task, checked.value) ?? options.job ?? type
    return this.traced(newTask({ id: this.makeId(), type, input, maxInputBytes, options, gates: refs, flow }))
  }

  private traced(task: NewTask): NewTask {
    const tag = this.tracing()?.submitted(task) ?? null
    return tag === null ? task : { ...task, tags: [...task.tags, tag] }
  }

  prepareEach(where: string, tasks: readonly JobTask[]): Promise<NewTask[]> {
    return this.prepareJobTasks(where, tasks, null)
  }

  private async prepareJobTasks(where: string, tasks: readonly JobTask[], job: string | null): Promise<NewTask[]> {
    if (!Array.isArray(tasks)) throw new SluiceError("invalid_input", `${where}: expected an array of { task, input }, got ${shown(tasks)}`)
    const prepared: NewTask[] = []
    for (const [index, one] of tasks.entries()) prepared.push(await this.prepareJobTask(`${where}: tasks[${index}]`, one, job))
    return prepared
  }

  private prepareJobTask(where: string, given: JobTask, job: string | null): Promise<NewTask> {
    const { task, input, options } = readJobTask(where, given)
    const own = job === null ? {} : { job }
    return this.prepare(task, input, readSubmitOptions(typeOf(task), [defaultsOf(task), options, own]))
  }

  /** The last piece closes the job, where nobody adds more. */
  private async addPieces(id: string, tasks: readonly NewTask[], newJob: SubmitRequest["newJob"], isClosed: boolean): Promise<void> {
    const pieces = tasks.length === 0 ? [[]] : inStepSizes(tasks)
    for (const [i, piece] of pieces.entries()) {
      const isLast = i === pieces.length - 1
      await this.submit({
        tasks: piece,
        ...(newJob && i === 0 ? { newJob } : {}),
        ...(isClosed && isLast ? { closeJob: id } : {}),
      })
    }
  }

  /** `tx`: a transaction of the caller's. */
  async submit(request: SubmitRequest, tx?: unknown): Promise<{ readonly tasks: Task[] }> {
    const { tasks } = request
    if (tasks.length === 0 && !request.newJob && request.closeJob === undefined) return { tasks: [] }
    if (this.declarations.isDue) await this.declarations.tell()
    const send = () => (tx === undefined ? this.store.submit(request) : this.submitWithin(tx, request))
    let answer: SubmitAnswer = await send()
    // The store may have been emptied since it was told.
    if (answer.kind === "unknown_limit" && this.declarations.knows(answer.limit)) {
      await this.declarations.say(null, [])
      answer = await send()
    }
    if (answer.kind !== "ok") throw submitRefusal(answer, tasks[answer.index])
    if (this.events.hasListeners("task.submitted")) this.tellSubmitted(answer.tasks)
    return { tasks: answer.tasks.map(({ task, forecast }) => new Task(task, forecast)) }
  }

  private tellSubmitted(tasks: readonly SubmittedTask[]): void {
    for (const { task, created } of tasks) {
      if (!created) continue
      const ttlMs = task.expiresAtMs === null ? null : task.expiresAtMs - task.createdAtMs
      this.events.emit("task.submitted", { id: task.id, type: task.type, ttlMs })
    }
  }

  private submitWithin(tx: unknown, request: SubmitRequest): Promise<SubmitAnswer> {
    if (this.store.submitWithin) return this.store.submitWithin(tx, request)
    throw new SluiceError(
      "invalid_option",
      `submit: tx: expected a store that can take part in a transaction, which is postgres:, got ${shown(`${this.store.kind}:`)}`,
    )
  }

  /** Answers with the id of the job. */
  async submitJob(name: string, tasks: readonly JobTask[], options: JobOptions | undefined): Promise<string> {
    const where = `submitJob ${shown(name)}`
    const { open = false, onComplete, ...bounds } = readOptions(where, options, jobReaders)
    const id = this.makeId()
    const follows = onComplete ? await this.prepareJobTask(`${where}: onComplete`, onComplete, null) : null
    const newJob = { ...jobBounds(bounds, process.env), id, name: parseName("job", name), isOpen: true, onComplete: follows }
    await this.addPieces(id, await this.prepareJobTasks(where, tasks, id), newJob, !open)
    return id
  }

  async addToJob(id: string, tasks: readonly JobTask[]): Promise<void> {
    await this.addPieces(id, await this.prepareJobTasks(`addToJob ${shown(id)}`, tasks, id), undefined, false)
  }
}

export function typeOf(task: AnyTask | string): string {
  return isTaskDefinition(task) ? task.type : parseName("task type", task)
}

export function defaultsOf(task: AnyTask | string): TaskDefaults | undefined {
  return isTaskDefinition(task) ? task.defaults : undefined
}

function gatesTwice(type: string): SluiceError {
  return new SluiceError(
    "invalid_option",
    `submit ${type}: gates: expected none beside a definition, whose limits say which; submit by name to give them by hand`,
  )
}

/** One step takes no more than so many tasks, and so many bytes. */
export function inStepSizes(tasks: readonly NewTask[]): NewTask[][] {
  const pieces: NewTask[][] = []
  let piece: NewTask[] = []
  let bytes = 0
  for (const task of tasks) {
    const size = Buffer.byteLength(task.input)
    if (piece.length >= budgets.submitTasks || (piece.length > 0 && bytes + size > budgets.submitBytes)) {
      pieces.push(piece)
      piece = []
      bytes = 0
    }
    piece.push(task)
    bytes += size
  }
  return piece.length > 0 ? [...pieces, piece] : pieces
}

// Schedules as people make, watch and change them. Cron is read here and by the workers that fire: the store keeps instants.

import { nextInstant, nextInstants, readTimetable, type Timetable } from "../cron/index.ts"
import { SluiceError, shown } from "../errors/index.ts"
import { budgets, type ScheduleChange, type SchedulesAnswer, type Store } from "../store/index.ts"
import { type NewSchedule, type NewTask, type ScheduleRecord, taskNow } from "../task/index.ts"
import { nearest, parseName, readOptions, wholeNumber } from "../units/index.ts"
import type { Declarations } from "./declarations.ts"
import type { AnyTask } from "./definition.ts"
import { routeRefusal } from "./refusals.ts"
import { readScheduleOptions, type ScheduleOptions } from "./schedule-options.ts"
import { type SavedSchedule, type ScheduleView, scheduleView } from "./schedule-view.ts"
import { digestOf, type SubmitOptions } from "./submit.ts"
import type { Task } from "./task.ts"

/** What the queue does for its schedules. */
export interface SchedulingQueue {
  readonly store: Store
  readonly declarations: Declarations
  prepare(task: AnyTask | string, input: unknown, options: SubmitOptions): Promise<NewTask>
  submit(task: NewTask): Promise<Task>
  makeId(): string
}

export interface UpcomingOptions {
  /** How many instants; 5 if not given. */
  readonly count?: number
}

const defaultUpcoming = 5
const namesShown = 20

export class Schedules {
  private readonly queue: SchedulingQueue

  constructor(queue: SchedulingQueue) {
    this.queue = queue
  }

  async list(): Promise<ScheduleView[]> {
    return (await this.records()).map(scheduleView)
  }

  async get(name: string): Promise<ScheduleView> {
    return scheduleView(await this.record("schedules.get", name))
  }

  /** The next instants at which it runs; none while it is paused. */
  async upcoming(name: string, options?: UpcomingOptions): Promise<Date[]> {
    const { count = defaultUpcoming } = readOptions("schedules.upcoming", options, { count: wholeNumber(1, 1_000) })
    const record = await this.record("schedules.upcoming", name)
    if (record.nextAtMs === null) return []
    const instants = [record.nextAtMs, ...nextInstants(timetableOf(record), record.nextAtMs, count - 1)]
    return instants.map((atMs) => new Date(atMs))
  }

  /** Nothing runs until it is resumed; what would have run meanwhile does not. */
  pause(name: string): Promise<ScheduleView> {
    return this.change("schedules.pause", name, () => ({ kind: "pause" }))
  }

  /** From the next instant on. */
  resume(name: string): Promise<ScheduleView> {
    return this.change("schedules.resume", name, (record, nowMs) => ({
      kind: "resume",
      nextAtMs: nextInstant(timetableOf(record), nowMs),
    }))
  }

  /** Its tasks stay. */
  remove(name: string): Promise<ScheduleView> {
    return this.change("schedules.remove", name, () => ({ kind: "remove" }))
  }

  /** One of its tasks now, apart from its instants. */
  async trigger(name: string): Promise<Task> {
    const record = await this.record("schedules.trigger", name)
    return this.queue.submit(taskNow(record, this.queue.makeId()))
  }

  async save(
    name: string,
    cron: string,
    options: ScheduleOptions | undefined,
    task: AnyTask | string,
    input: unknown,
  ): Promise<SavedSchedule> {
    const where = `schedule ${shown(parseName("schedule", name))}`
    const { timezone, catchUp, submit } = readScheduleOptions(where, options)
    const timetable = readTimetable(where, cron, timezone)
    const { id: _id, idempotencyKey: _key, schedule: _schedule, ...prepared } = await this.queue.prepare(task, input, submit)
    const template = { ...prepared, inputDigest: digestOf(JSON.parse(prepared.input)) }
    return this.store(where, timetable, { name, cron: timetable.pattern.text, timezone, catchUp, template })
  }

  private async store(where: string, timetable: Timetable, schedule: NewSchedule): Promise<SavedSchedule> {
    const { store, declarations } = this.queue
    if (declarations.isDue) await declarations.tell()
    const { nowMs } = await store.now({})
    const request = { schedule, nextAtMs: nextInstant(timetable, nowMs) }
    let answer = await store.saveSchedule(request)
    // The store may have been emptied since it was told.
    if (answer.kind === "unknown_limit" && declarations.knows(answer.limit)) {
      await declarations.say(null, [])
      answer = await store.saveSchedule(request)
    }
    if (answer.kind !== "ok") throw routeRefusal(where, answer)
    return { ...scheduleView(answer.schedule), change: answer.change }
  }

  private async change(
    where: string,
    name: string,
    changeOf: (record: ScheduleRecord, nowMs: number) => ScheduleChange,
  ): Promise<ScheduleView> {
    const record = await this.record(where, name)
    const { nowMs } = await this.queue.store.now({})
    const answer = await this.queue.store.changeSchedule({ name, change: changeOf(record, nowMs) })
    if (answer.kind === "missing") throw await this.notFound(name)
    return scheduleView(answer.schedule)
  }

  private async record(where: string, name: string): Promise<ScheduleRecord> {
    const { schedules } = await this.queue.store.schedules({ names: [parseName(where, name)], afterName: null, count: 1 })
    if (schedules[0]) return schedules[0]
    throw await this.notFound(name)
  }

  private async records(): Promise<ScheduleRecord[]> {
    const found: ScheduleRecord[] = []
    for (let afterName: string | null = null; ; ) {
      const page: SchedulesAnswer = await this.queue.store.schedules({ names: null, afterName, count: budgets.schedulesPage })
      found.push(...page.schedules)
      afterName = page.nextAfterName
      if (afterName === null) return found
    }
  }

  private async notFound(name: string): Promise<SluiceError> {
    const known = (await this.records()).map((record) => record.name)
    const near = nearest(name, known)
    const some = known.slice(0, namesShown).join(", ")
    const hint = near ? `did you mean "${near}"?` : known.length === 0 ? "there is none yet" : `there are ${some}`
    return new SluiceError("not_found", `schedule ${shown(name)}: expected the name of a schedule, found none; ${hint}`)
  }
}

function timetableOf({ name, cron, timezone }: ScheduleRecord): Timetable {
  return readTimetable(`schedule ${shown(name)}`, cron, timezone)
}

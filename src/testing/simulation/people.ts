// Those who use the queue from outside: they submit, and try again when they are not told that it worked; they cancel, retry, pause
// limits and look. Each is a process of its own, with the real Queue.

import { isSluiceError } from "../../errors/index.ts"
import { type AnyTask, Queue, queueDefaults, type TaskDefinition } from "../../queue/index.ts"
import type { Store } from "../../store/index.ts"
import { sleep } from "../../world/index.ts"
import type { Dice } from "../dice.ts"
import { crewName } from "./crews.ts"
import type { Plan } from "./plan.ts"
import type { SimulatedProcess } from "./process.ts"
import { type SimulatedType, types } from "./tasks.ts"
import { tickingName } from "./ticks.ts"

/** A call that gets no answer is given up after this long. */
const patienceMs = 2_000
const mostTries = 8

export class Person {
  readonly process: SimulatedProcess
  private readonly queue: Queue
  private readonly plan: Plan
  private readonly dice: Dice
  private readonly tasks: Readonly<Record<SimulatedType, AnyTask>>
  private readonly known: string[] = []

  constructor(process: SimulatedProcess, store: Store, plan: Plan, dice: Dice, tasks: Readonly<Record<SimulatedType, AnyTask>>) {
    this.process = process
    this.queue = new Queue(store, process, queueDefaults.maxInputBytes)
    this.plan = plan
    this.dice = dice
    this.tasks = tasks
  }

  async submit(n: number): Promise<void> {
    const { dice, plan } = this
    const type = dice.pick(types)
    const input = { n, key: dice.pick(plan.keys) }
    const options = {
      priority: dice.pick([0, 0, 0, 1, -1]),
      ...(dice.chance(0.2) ? { delay: `${dice.between(0, 5_000)}ms` as const } : {}),
      ...(dice.chance(0.1) ? { ttl: `${dice.between(6_000, 20_000)}ms` as const } : {}),
    }
    // With a key it is safe to ask again; without one, whoever gets no answer does not know.
    const key = dice.chance(0.6) ? `key-${n}` : null
    const isByName = dice.chance(0.15)
    const submitOnce = async () => {
      const all = key === null ? options : { ...options, idempotencyKey: key }
      const task = await (isByName
        ? this.queue.submit(type, input, all)
        : this.queue.submit(this.tasks[type] as TaskDefinition, input, all))
      this.known.push(task.id)
    }
    // Two who do not know of each other may have the same thing to do.
    const isTwice = key !== null && dice.chance(0.3)
    await Promise.all([this.insist(submitOnce, key === null ? 1 : mostTries), isTwice ? this.insist(submitOnce, mostTries) : null])
  }

  /** Something else that people do. */
  async meddle(): Promise<void> {
    const { dice, queue, plan } = this
    // What was submitted lately is likely to wait or to run.
    const recent = dice.chance(0.7) ? this.known.slice(-4) : this.known
    const id = recent.length > 0 ? dice.pick(recent) : null
    const limit = dice.pick([plan.api.name, plan.slots.name])
    const choice = dice.pick([
      "cancel",
      "cancel",
      "cancel",
      "retry",
      "pause",
      "resume",
      "close",
      "set",
      "reset",
      "look",
      "explain",
    ] as const)
    const moments = { cancel: () => id && queue.cancel(id), retry: () => id && queue.retry(id), explain: () => id && queue.explain(id) }
    if (choice in moments) return this.insist(async () => void (await moments[choice as keyof typeof moments]()), 1)
    await this.insist(async () => {
      if (choice === "pause") await queue.limits.pause(limit)
      if (choice === "resume") await queue.limits.resume(limit)
      if (choice === "close") await queue.limits.close(limit, { until: new Date((await queue.now()).getTime() + dice.between(500, 4_000)) })
      if (choice === "set") await queue.limits.set(plan.slots.name, { concurrency: dice.between(1, 4) })
      if (choice === "reset") await queue.limits.reset(limit)
      if (choice === "look") await queue.limits.list()
    }, 1)
  }

  /** A job of a few tasks; sometimes somebody thinks better of it. Who gets no answer does not know whether it is there. */
  async submitCrew(n: number): Promise<void> {
    const { dice, queue, tasks, plan } = this
    const inputs = Array.from({ length: dice.between(1, 8) }, (_, i) => ({ n: n * 100 + i, key: dice.pick(plan.keys) }))
    const members = inputs.map((input) => ({ task: tasks[dice.pick(types)], input, options: { maxRetries: dice.pick([0, 1, 8]) } }))
    const follows = { task: tasks.plain, input: { n: n * 100 + 99, key: plan.keys[0] } }
    const failureThreshold = dice.pick([null, 1, 2])
    const regretMs = dice.chance(0.3) ? dice.between(0, 5_000) : null
    await this.insist(async () => {
      const bounds = { failureThreshold, concurrency: plan.crewConcurrency, onComplete: follows }
      const { id } = await queue.submitJob(crewName, members, bounds)
      this.known.push(...(await queue.list({ job: id })).tasks.map((task) => task.id))
      if (regretMs === null) return
      await sleep(this.process, regretMs)
      await queue.jobs.cancel(id)
    }, 1)
  }

  async schedule(everySeconds: number): Promise<void> {
    const { queue, tasks, plan } = this
    const save = () =>
      queue.schedule(tickingName, `*/${everySeconds} * * * * *`, { catchUp: { all: 1_000 } }, tasks.plain as TaskDefinition, {
        n: 0,
        key: plan.keys[0],
      })
    await this.insist(async () => void (await save()), mostTries)
  }

  /** Trouble is over: nothing stays closed, and no more is scheduled. */
  async open(): Promise<void> {
    if (this.plan.tickSeconds !== null) await this.insist(async () => void (await this.queue.schedules.pause(tickingName)), mostTries)
    for (const { name } of [this.plan.api, this.plan.slots])
      await this.insist(async () => void (await this.queue.limits.reset(name)), mostTries)
  }

  /** Again while there is no answer; what the queue refuses for good is refused. */
  private async insist(call: () => Promise<void>, tries: number): Promise<void> {
    for (let i = 0; i < tries; i++) {
      const answered = call().then(
        () => null,
        (error: unknown) => error,
      )
      const failure = await Promise.race([answered, this.patience()])
      if (failure === null || (isSluiceError(failure) && !failure.retryable)) return
      await sleep(this.process, this.dice.between(10, 1_000))
    }
  }

  private async patience(): Promise<unknown> {
    await sleep(this.process, patienceMs)
    return new Error("no answer")
  }
}

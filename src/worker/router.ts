// Routes what was submitted without the code: says which gates such tasks pass, so that they can be claimed. One routing at a
// time, in batches; a task whose gates cannot be told fails with the reason.

import { type AnyTask, checkInput, flowOf, gatesOf, type Queue, routeRefusal } from "../queue/index.ts"
import { budgets, type Route, type RouteAnswer } from "../store/index.ts"
import type { TaskRecord } from "../task/index.ts"
import { Line } from "./line.ts"
import { callDeadlineMs, longestPauseMs, type WorkerSettings } from "./options.ts"
import { messageOf } from "./outcomes.ts"

export class Router {
  private readonly queue: Queue
  private readonly tasks: ReadonlyMap<string, AnyTask>
  private readonly settings: WorkerSettings
  private readonly line: Line
  private readonly signal: AbortSignal
  private readonly routed: () => void
  private waiting = new Set<string>()
  /** Resolves when nothing more is to be routed. */
  private work: Promise<void> | null = null

  /** `routed`: something may have become claimable. */
  constructor(queue: Queue, tasks: ReadonlyMap<string, AnyTask>, settings: WorkerSettings, signal: AbortSignal, routed: () => void) {
    this.queue = queue
    this.tasks = tasks
    this.settings = settings
    this.signal = signal
    this.routed = routed
    this.line = new Line(queue.world, null, { deadlineMs: callDeadlineMs(settings), longestDelayMs: longestPauseMs(settings) })
  }

  /** These types have tasks that nobody has routed. */
  wake(types: readonly string[]): void {
    for (const type of types) if (this.tasks.has(type)) this.waiting.add(type)
    if (this.waiting.size > 0) this.work ??= this.routeAll()
  }

  /** For the end of the worker: nothing of it goes on. */
  async ended(): Promise<void> {
    await this.work
  }

  private async routeAll(): Promise<void> {
    try {
      while (this.waiting.size > 0 && !this.signal.aborted) {
        const types = [...this.waiting]
        this.waiting = new Set()
        await this.routeTypes(types)
      }
    } catch {
      // Gone for good: the loop asks, is told so, and ends.
    } finally {
      this.work = null
    }
  }

  private async routeTypes(types: readonly string[]): Promise<void> {
    for (;;) {
      const found = await this.ask(() => this.queue.store.unrouted({ types, limit: budgets.routes }))
      if (!found || found.tasks.length === 0) return
      const routes = await Promise.all(found.tasks.map((task) => this.routeOf(task)))
      const heard = await this.ask(() => this.declare())
      const answer = heard && (await this.ask(() => this.queue.store.route({ routes })))
      if (!answer) return
      const isLeft = await this.failRefused(routes, answer)
      if (answer.results.some(({ kind }) => kind === "ok")) this.routed()
      // What is left would be found again and again; the next answer of the store that tells of it starts anew.
      if (isLeft || found.tasks.length < budgets.routes) return
    }
  }

  private async routeOf(task: TaskRecord): Promise<Route> {
    const { id, type } = task
    const definition = this.tasks.get(type)
    try {
      if (!definition) throw new Error(`no handler for ${type}`)
      const checked = await checkInput(definition, JSON.parse(task.input))
      if (checked.kind === "refused") throw checked.error
      const { refs, limits } = gatesOf(definition, checked.value)
      this.queue.declarations.note(type, limits)
      // A flow that was named at submission stays.
      return { id, gates: refs, flow: task.flow === type ? flowOf(definition, checked.value) : null }
    } catch (error) {
      return { id, error: messageOf(error) }
    }
  }

  private async declare(): Promise<true> {
    await this.queue.declarations.tell()
    return true
  }

  /** A cost that never passes is as final as an input that does not fit. True where something could not be routed yet. */
  private async failRefused(routes: readonly Route[], { results }: RouteAnswer): Promise<boolean> {
    const failed = results.flatMap((result, i): Route[] => {
      const route = routes[i]
      return route && result.kind === "cost_above_limit" ? [{ id: route.id, error: routeRefusal("route", result).message }] : []
    })
    if (failed.length > 0) await this.ask(() => this.queue.store.route({ routes: failed }))
    const isUnknown = results.some(({ kind }) => kind === "unknown_limit")
    // The store may have been emptied since it was told.
    if (isUnknown) await this.ask(() => this.queue.declarations.say(this.settings.id, [...this.tasks.values()]))
    return isUnknown
  }

  /** Again and again until there is an answer; null once the worker drains. */
  private async ask<T>(call: () => Promise<T>): Promise<T | null> {
    while (!this.signal.aborted) {
      const answer = await this.line.ask(call, this.signal)
      if (answer !== null) return answer
    }
    return null
  }
}

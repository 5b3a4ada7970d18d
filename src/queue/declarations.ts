// What this process knows of limits, and which of it the store has been told: a limit is declared before the first task that
// passes it is submitted, and again every so often, so that others know whose code is live.

import { SluiceError } from "../errors/index.ts"
import type { GatePolicy } from "../limits/index.ts"
import type { HelloAnswer, HelloRequest, Store } from "../store/index.ts"
import type { World } from "../world/index.ts"
import { workerDefaults } from "./defaults.ts"
import type { AnyTask } from "./definition.ts"
import { type AnyLimit, isGate } from "./limit.ts"
import { policyText } from "./policy-text.ts"

/** Which limits a function gives is not known before its first input: such a type passes some. */
const someLimits = "*"

export class Declarations {
  private readonly store: Pick<Store, "hello">
  private readonly world: World
  private readonly policies = new Map<string, GatePolicy>()
  private readonly namesByType = new Map<string, Set<string>>()
  private readonly told = new Set<string>()
  private toldAtMs = Number.NEGATIVE_INFINITY

  constructor(store: Pick<Store, "hello">, world: World) {
    this.store = store
    this.world = world
  }

  /** Throws where a limit of that name is known with another policy; then nothing has been noted. */
  note(type: string, limits: readonly AnyLimit[]): void {
    if (limits.length === 0) return
    for (const limit of limits) this.check(limit)
    const names = this.namesByType.get(type) ?? new Set<string>()
    this.namesByType.set(type, names)
    for (const { name, policy } of limits) {
      names.add(name)
      this.policies.set(name, policy)
    }
  }

  /** The limits of a plain list are known before any input is. */
  noteTask({ type, limits }: AnyTask): void {
    if (typeof limits === "function") return
    this.note(
      type,
      limits.map((one) => (isGate(one) ? one.limit : one)),
    )
  }

  /** A limit that is used outside the queue. */
  noteLimit(limit: AnyLimit): void {
    this.check(limit)
    this.policies.set(limit.name, limit.policy)
  }

  /** The store may have been emptied since it was told: everything is new to it. */
  repeat(): void {
    this.told.clear()
  }

  knows(limit: string): boolean {
    return this.policies.has(limit)
  }

  /** Whether there is something to tell before the next submission. */
  get isDue(): boolean {
    return this.hasNew || (this.policies.size > 0 && this.world.monotonicMs() - this.toldAtMs >= workerDefaults.helloMs)
  }

  /** What is new has to have arrived; what is known is only said again, and may fail to be. */
  async tell(): Promise<void> {
    if (this.hasNew) await this.say(null, [])
    else if (this.isDue) await this.say(null, []).catch(() => {})
  }

  private get hasNew(): boolean {
    return this.told.size < this.policies.size
  }

  /** For a worker: every type that it handles, those without limits included; else what has been submitted. */
  async say(workerId: string | null, tasks: readonly AnyTask[]): Promise<HelloAnswer> {
    const request = this.request(workerId, tasks)
    const answer = await this.store.hello(request)
    for (const { name } of request.limits) this.told.add(name)
    this.toldAtMs = this.world.monotonicMs()
    return answer
  }

  private request(workerId: string | null, tasks: readonly AnyTask[]): HelloRequest {
    const namesOf = (type: string) => [...(this.namesByType.get(type) ?? [])].sort()
    const submitted = [...this.namesByType.keys()].map((type) => ({ type, limits: namesOf(type) }))
    const handled = tasks.map(({ type, limits }) => {
      const names = namesOf(type)
      return { type, limits: names.length === 0 && typeof limits === "function" ? [someLimits] : names }
    })
    return {
      workerId,
      // What a worker says that it knows, it is taken to handle.
      types: workerId === null ? submitted : handled,
      limits: [...this.policies].map(([name, policy]) => ({ name, policy })),
    }
  }

  private check({ name, policy }: AnyLimit): void {
    const known = this.policies.get(name)
    // Policies are made in one place, field by field in one order: equal ones have equal texts.
    if (!known || known === policy || JSON.stringify(known) === JSON.stringify(policy)) return
    throw new SluiceError(
      "limit_conflict",
      `limit "${name}": expected one policy for each name, got ${policyText(policy)} beside ${policyText(known)}; define it once and share it, or give the other another name`,
    )
  }
}

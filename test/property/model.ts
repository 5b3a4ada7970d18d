// A small model of the queue, written from docs/internals/contract.md alone: it imports nothing from src, keeps one plain list
// of tasks and looks through all of it for every answer. What a store answers must be what this answers. Its limits let
// everything pass; what they do when they do not is held to the laws in gate-laws.ts.

import { Life } from "./model-life.ts"
import {
  type Asked,
  type Backoff,
  born,
  type Entry,
  type Exchange,
  type Gate,
  type Notes,
  type Route,
  type Status,
  type Task,
  type When,
} from "./model-task.ts"

const day = 86_400_000
const flowOf = (task: Task) => `${task.type}/${task.flow}`
const inLane = (a: Task, b: Task) => b.priority - a.priority || a.readyAtMs - b.readyAtMs || a.seq - b.seq
const isUnrouted = (task: Task) => task.status === "pending" && task.gates === null
const least = (times: number[]) => (times.length === 0 ? null : Math.min(...times))

export class Model extends Life {
  private readonly wallMs: () => number
  private behind: number | null = null
  private seq = 0
  private tasks: Task[] = []
  private readonly workers = new Map<string, { number: number; seenAtMs: number }>()
  /** Tasks that stand in a lane, and the turns that each flow has had. */
  private readonly waiting = new Set<Task>()
  private readonly turns = new Map<string, number>()
  private turn = 0
  private readonly limits = new Set<string>()
  private readonly typeLimits = new Map<string, string[]>()

  constructor(wallMs: () => number) {
    super()
    this.wallMs = wallMs
  }

  /** One step of the store: the clock is read once, then the operation is carried out. */
  call(operation: string, request: never): unknown {
    this.tick()
    const step = this[operation as "submit"] as (request: never) => unknown
    return structuredClone(step.call(this, request))
  }

  private tick(): void {
    const wall = this.wallMs()
    if (wall >= this.nowMs) [this.nowMs, this.behind] = [wall, null]
    else if (this.behind === null || wall < this.behind) this.behind = wall
    else {
      const gained = Math.floor((wall - this.behind) / 2)
      this.nowMs += gained
      this.behind += gained * 2
    }
  }

  hello({ types, limits }: { types: { type: string; limits: string[] }[]; limits: { name: string }[] }) {
    for (const { name } of limits) this.limits.add(name)
    for (const { type, limits } of types) this.typeLimits.set(type, limits)
    return { nowMs: this.nowMs, disagreements: [] }
  }

  submit({ tasks }: { tasks: Asked[] }) {
    const first = this.seq + 1
    this.seq += tasks.length
    const fresh: Task[] = []
    const answers: { task: Task; created: boolean; forecast: object | null }[] = []
    for (const [index, { schedule, expiry, ...asked }] of tasks.entries()) {
      const all = [...this.tasks, ...fresh]
      const key = asked.idempotencyKey
      const existing = all.find(({ id }) => id === asked.id) ?? all.find((task) => key !== null && task.idempotencyKey === key)
      if (existing) {
        const isSame = asked.inputDigest === null ? existing.input === asked.input : existing.inputDigest === asked.inputDigest
        if (!isSame || existing.type !== asked.type) return { kind: "conflict", index, existing }
        answers.push({ task: existing, created: false, forecast: this.forecast(existing) })
        continue
      }
      const [at, expiresAtMs] = [this.at(schedule), this.at(expiry)]
      if (at !== null && expiresAtMs !== null && at > expiresAtMs) return { kind: "schedule_after_expiry", index }
      const due = Math.max(this.nowMs, at ?? 0)
      const times = { createdAtMs: this.nowMs, updatedAtMs: this.nowMs, availableAtMs: due, readyAtMs: due, expiresAtMs }
      const isLate = expiresAtMs !== null && expiresAtMs <= this.nowMs
      const late = isLate ? { status: "expired" as const, expiredAtMs: this.nowMs, version: 2 } : {}
      const task: Task = { ...asked, gates: this.gatesOf(asked), ...born, ...times, ...late, seq: first + index }
      const forecast = this.forecast(task)
      if (task.gates && task.gates.length > 0) task.forecastAtMs = forecast?.atMs ?? null
      fresh.push(task)
      answers.push({ task, created: true, forecast })
    }
    for (const task of fresh) this.add(task)
    return { kind: "ok", nowMs: this.nowMs, tasks: answers }
  }

  /** Of a type that is known to pass no gates, nobody has to be asked. */
  private gatesOf({ type, gates }: Pick<Asked, "type" | "gates">): Gate[] | null {
    return gates ?? (this.typeLimits.get(type)?.length === 0 ? [] : null)
  }

  /** Nothing holds anybody here: a task starts when it is due, unless nobody has routed it. */
  private forecast(task: Task) {
    if (task.status !== "pending") return null
    if (task.gates === null) return { atMs: null, latestMs: null, basis: "unrouted", gate: null }
    const atMs = Math.max(task.availableAtMs, this.nowMs)
    return { atMs, latestMs: atMs, basis: task.availableAtMs > this.nowMs ? "schedule" : "now", gate: null }
  }

  unrouted({ types, limit }: { types: string[]; limit: number }) {
    return { tasks: this.tasks.filter((task) => types.includes(task.type) && isUnrouted(task)).slice(0, limit) }
  }

  route({ routes }: { routes: Route[] }) {
    const known = new Map(this.tasks.filter(isUnrouted).map((task) => [task.id, task]))
    return {
      results: routes.map((route) => {
        const task = known.get(route.id)
        if (!task) return { kind: "stale" }
        const unknown = "gates" in route && route.gates.find(({ limit }) => !this.limits.has(limit))
        if (unknown) return { kind: "unknown_limit", limit: unknown.limit }
        known.delete(route.id)
        if ("error" in route) this.fail(task, route.error)
        else this.pass(task, route.gates, route.flow ?? task.flow)
        return { kind: "ok" }
      }),
    }
  }

  private pass(task: Task, gates: Gate[], flow: string): void {
    const forecastAtMs = gates.length > 0 ? Math.max(task.availableAtMs, this.nowMs) : null
    Object.assign(task, { gates, flow, forecastAtMs })
    // Too late or not: whoever comes by sees to that.
    if (task.availableAtMs <= this.nowMs) this.enter(task)
  }

  private at(when: When): number | null {
    return when === null ? null : "atMs" in when ? when.atMs : this.nowMs + when.inMs
  }

  private add(task: Task): void {
    this.tasks.push(task)
    const notes: Notes = task.availableAtMs > this.nowMs ? { delayMs: task.availableAtMs - this.nowMs } : {}
    if (task.expiresAtMs !== null) notes.expiresAtMs = task.expiresAtMs
    const created: Entry = { atMs: this.nowMs, status: "pending", event: "created", ...notes }
    const expired: Entry = { atMs: this.nowMs, status: "expired", event: "expired" }
    this.histories.set(task.id, task.status === "expired" ? [created, expired] : [created])
    this.place(task)
  }

  /** Into its lane when it is pending, routed and due, unless it is about to expire; else out of it. */
  protected place(task: Task): void {
    if (task.status !== "pending" || task.gates === null || task.availableAtMs > this.nowMs || this.isLate(task)) this.waiting.delete(task)
    else this.enter(task)
  }

  /** A flow that nobody waits in, a new one among them, begins at the present turn. */
  private enter(task: Task): void {
    const flow = flowOf(task)
    if (![...this.waiting].some((other) => flowOf(other) === flow)) this.turns.set(flow, Math.max(this.turns.get(flow) ?? 0, this.turn))
    this.waiting.add(task)
  }

  exchange(request: Exchange) {
    const settled = request.settles.map(({ id, fence, outcome }) => this.settle(this.find(id), fence, outcome))
    const kept = request.heartbeats.map(({ id, fence, progress }) => this.keep(this.find(id), fence, progress, request.leaseMs))
    const claimed = request.claim ? this.claim(request, request.claim) : { claimed: [], more: false, nextAtMs: null, unrouted: [] }
    const mine = this.tasks.filter(({ status, workerId }) => status === "running" && workerId === request.workerId)
    const cancelled = mine.filter((task) => task.cancelRequestedAtMs !== null).map(({ id, fence }) => ({ id, fence }))
    return { nowMs: this.nowMs, waitedMs: 0, settled, kept, ...claimed, blockedBy: null, cancelled }
  }

  private claim({ workerId, leaseMs }: Exchange, { number, types, max }: NonNullable<Exchange["claim"]>) {
    if (number <= (this.workers.get(workerId)?.number ?? 0)) {
      const held = this.tasks.filter((task) => task.status === "running" && task.workerId === workerId && task.claimNumber === number)
      return { claimed: held, more: true, nextAtMs: null, unrouted: [], isRepeat: true }
    }
    this.workers.set(workerId, { number, seenAtMs: this.nowMs })
    const room = new Map(types.map((asked) => [asked.type, asked.room]))
    for (const task of this.tasks.filter(({ type, status }) => room.has(type) && status === "pending")) this.promote(task)
    const claimed: Task[] = []
    let passed = 0
    const lease = { workerId, claimNumber: number, leaseExpiresAtMs: this.nowMs + leaseMs }
    for (let task = this.best(room); task && claimed.length < max; task = this.best(room)) {
      if (this.isLate(task)) {
        passed++
        this.expireNow(task)
        continue
      }
      claimed.push(task)
      room.set(task.type, (room.get(task.type) ?? 0) - 1)
      this.turn = Math.max(this.turn, this.turns.get(flowOf(task)) ?? 0)
      this.turns.set(flowOf(task), this.turn + 1)
      const run = { startedAtMs: this.nowMs, fence: task.fence + 1, attempt: task.attempt + 1, lastOutcome: null, progress: null }
      this.move(task, "running", "claimed", { ...lease, ...run }, { workerId })
    }
    const more = claimed.length + passed > 0 && this.best(room) !== undefined
    const outside = this.tasks.filter((task) => room.has(task.type) && task.status === "pending" && !this.waiting.has(task))
    const later = outside.filter((task) => task.gates !== null)
    const unrouted = [...room.keys()].filter((type) => outside.some((task) => task.type === type && task.gates === null))
    return { claimed, more, nextAtMs: more ? null : least(later.map(({ availableAtMs }) => availableAtMs)), unrouted }
  }

  private promote(task: Task): void {
    if (this.waiting.has(task) || task.gates === null || task.availableAtMs > this.nowMs) return
    if (this.isLate(task)) this.expireNow(task)
    else this.place(task)
  }

  /** The head of the flow whose turn it is. */
  private best(room: Map<string, number>): Task | undefined {
    const heads = new Map<string, Task>()
    for (const task of [...this.waiting].sort(inLane)) {
      if ((room.get(task.type) ?? 0) > 0 && !heads.has(flowOf(task))) heads.set(flowOf(task), task)
    }
    const turnOf = (task: Task) => this.turns.get(flowOf(task)) ?? 0
    return [...heads.values()].sort((a, b) => b.priority - a.priority || turnOf(a) - turnOf(b) || inLane(a, b))[0]
  }

  cancel = this.each("cancel")
  retry = this.each("retry")
  archive = this.each("archive")
  expire = this.each("expire")

  private each(name: "cancel" | "retry" | "archive" | "expire") {
    return ({ ids }: { ids: string[] }) => ({
      results: ids.map((id) => {
        const task = this.find(id)
        if (!task) return { kind: "missing" }
        const from = task.status
        const to = this.asked[name](task)
        return to === null ? { kind: "ok", task: { ...task } } : { kind: "illegal", from, to }
      }),
    })
  }

  sweep({ backoff, random, retentionMs }: { backoff: Backoff; random: number; retentionMs: number | null }) {
    const lost = this.tasks.filter(({ status, leaseExpiresAtMs }) => status === "running" && (leaseExpiresAtMs ?? 0) <= this.nowMs)
    lost.sort((a, b) => (a.leaseExpiresAtMs ?? 0) - (b.leaseExpiresAtMs ?? 0) || a.seq - b.seq)
    const late = this.tasks.filter((task) => task.status === "pending" && this.isLate(task))
    for (const [i, task] of lost.entries()) this.lose(task, backoff, (random + i * 0.618_033_988_749_895) % 1)
    for (const task of late) this.expireNow(task)
    const isOld = ({ updatedAtMs }: Task) => retentionMs !== null && updatedAtMs <= this.nowMs - retentionMs
    const old = this.tasks.filter((task) => !["pending", "running", "archived"].includes(task.status) && isOld(task))
    this.tasks = this.tasks.filter((task) => !old.includes(task))
    for (const { id } of old) this.histories.delete(id)
    const busy = new Set([...this.waiting].map(flowOf))
    for (const [flow, turn] of this.turns) if (!busy.has(flow) && turn <= this.turn) this.turns.delete(flow)
    for (const [id, worker] of this.workers) if (worker.seenAtMs + day <= this.nowMs) this.workers.delete(id)
    return { rescued: lost.length, expired: late.length, stopped: 0, removed: old.length, more: false }
  }

  get({ ids }: { ids: string[] }) {
    const tasks = ids.map((id) => this.find(id) ?? null)
    return { tasks, forecasts: tasks.map((task) => task && this.forecast(task)) }
  }

  list(request: { statuses: Status[] | null; type: string | null; tag: string | null; beforeSeq: number | null; limit: number }) {
    const { statuses, type, tag, beforeSeq, limit } = request
    const found = this.tasks.filter((task) => statuses === null || statuses.includes(task.status))
    const wanted = found.filter((task) => (type === null || task.type === type) && (tag === null || task.tags.includes(tag)))
    const page = wanted.filter(({ seq }) => beforeSeq === null || seq < beforeSeq).sort((a, b) => b.seq - a.seq)
    return { tasks: page.slice(0, limit), nextBeforeSeq: page.length > limit ? page[limit - 1]?.seq : null }
  }

  history({ id }: { id: string }) {
    const entries = this.histories.get(id)
    if (!entries) return { entries: null }
    const numbered = entries.map((entry, i) => ({ ...entry, version: i + 1 }))
    return { entries: numbered.length > 100 ? [...numbered.slice(0, 1), ...numbered.slice(-99)] : numbered }
  }

  counts({ type }: { type: string | null }) {
    const byStatus = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0, archived: 0 }
    for (const task of this.tasks) if (type === null || task.type === type) byStatus[task.status]++
    return { byStatus }
  }

  now() {
    return { nowMs: this.nowMs }
  }

  private find(id: string): Task | undefined {
    return this.tasks.find((task) => task.id === id)
  }
}

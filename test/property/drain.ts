// Workers in virtual time that do exactly what they are told: sleep until `nextAtMs`, or until the store wakes them. Between two
// moments in which something happens an observer looks whether anybody could have been claimed, by a worker that had room.

import assert from "node:assert/strict"
import type { Store } from "../../src/store/contract.ts"
import type { ExchangeAnswer } from "../../src/store/exchange-contract.ts"
import type { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { types } from "./commands.ts"
import type { Drawn, DrawnRun, DrawnWorker, Happening } from "./drain-commands.ts"
import { helloOf, keys, largestOf, limitNames } from "./gate-commands.ts"
import { Laws } from "./gate-laws.ts"
import type { Task } from "./gate-watch.ts"
import { toldOf } from "./script.ts"

const leaseMs = 20_000
const pending = { type: null, tag: null, jobId: null, createdFromMs: null, createdBeforeMs: null, beforeSeq: null, limit: 1_000 }

interface Run {
  readonly id: string
  readonly fence: number
  readonly endsAtMs: number
  readonly drawn: DrawnRun
}

class Sleeper {
  readonly id: string
  readonly types: readonly string[]
  readonly capacity: number
  runs: Run[] = []
  number = 0
  /** When it looks again by itself; null: only when woken. */
  wakesAtMs: number | null = 0
  hasNews = true
  isWaiting = false
  isUp: boolean
  turnsAt = { ms: 0, turns: 0 }

  constructor(id: string, { serves, capacity, isLate }: DrawnWorker) {
    this.id = id
    this.types = serves.map((i) => types[i] as string)
    this.capacity = capacity
    this.isUp = !isLate
  }

  get room(): number {
    return this.isUp ? this.capacity - this.runs.length : 0
  }

  isDue(nowMs: number): boolean {
    if (!this.isUp) return false
    if (this.runs.some(({ endsAtMs }) => endsAtMs <= nowMs)) return true
    return this.room > 0 && (this.hasNews || (this.wakesAtMs !== null && this.wakesAtMs <= nowMs))
  }

  nextAtMs(): number {
    if (!this.isUp) return Number.POSITIVE_INFINITY
    const ends = this.runs.map(({ endsAtMs }) => endsAtMs)
    return Math.min(...ends, this.room > 0 && this.wakesAtMs !== null ? this.wakesAtMs : Number.POSITIVE_INFINITY)
  }
}

export class Drain {
  private readonly store: Store
  private readonly world: VirtualWorld
  private readonly drawn: Drawn
  private readonly laws: Laws
  private readonly sleepers: Sleeper[] = []
  private readonly startMs: number
  private readonly agenda: { atMs: number; what: Happening }[]
  private readonly ids: string[] = []
  private started = 0
  private restarts = 0

  constructor(world: VirtualWorld, store: Store, drawn: Drawn) {
    this.world = world
    this.store = store
    this.drawn = drawn
    this.startMs = world.wallMs()
    this.laws = new Laws(drawn.policies, {
      pending: () => this.pending(),
      gates: async () => {
        const answers = []
        for (const limit of limitNames) answers.push(await store.gates({ limit, keys, afterKey: null, count: 9 }))
        return { nowMs: this.world.wallMs(), gates: answers.flatMap(({ gates }) => gates) }
      },
    })
    this.agenda = drawn.happenings.map(({ inMs, ...what }) => ({ atMs: this.startMs + inMs, what }))
    // However it went: in the end every gate is open, and every type is served.
    const lastMs = Math.max(this.startMs, ...this.agenda.map(({ atMs }) => atMs))
    for (const limit of limitNames) for (const key of keys) this.agenda.push({ atMs: lastMs + 1, what: { do: "resume", limit, key } })
    this.agenda.push({ atMs: lastMs + 1, what: { do: "start" } })
  }

  /** Until everything is finished, which has to be within this time. */
  async run(withinMs: number): Promise<void> {
    await this.store.hello({ workerId: null, ...helloOf(this.drawn.policies) } as never)
    await this.submit(this.drawn.tasks)
    for (const [i, worker] of this.drawn.workers.entries()) this.sleepers.push(new Sleeper(`w${i}`, worker))
    while (!(await this.isFinished())) {
      const due = this.sleepers.find((sleeper) => sleeper.isDue(this.nowMs))
      if (due) await this.turn(due)
      else if (!(await this.happen())) await this.sleep()
      assert.ok(this.nowMs - this.startMs <= withinMs, `not finished after ${withinMs} ms`)
    }
    this.laws.checkRun()
  }

  private get nowMs(): number {
    return this.world.wallMs()
  }

  private async pending(): Promise<readonly Task[]> {
    return (await this.store.list({ ...pending, statuses: ["pending"] })).tasks as readonly Task[]
  }

  private async isFinished(): Promise<boolean> {
    const { byStatus } = await this.store.counts({ type: null })
    return byStatus.pending + byStatus.running === 0 && this.agenda.length === 0
  }

  /** Time goes on to the next thing that anybody has on the calendar. Until just before it, nobody must have been able to do anything. */
  private async sleep(): Promise<void> {
    const nextMs = Math.min(...this.sleepers.map((sleeper) => sleeper.nextAtMs()), ...this.agenda.map(({ atMs }) => atMs))
    const tasks = await this.pending()
    const served = new Set(this.sleepers.filter(({ room }) => room > 0).flatMap((sleeper) => sleeper.types))
    const lookMs = nextMs === Number.POSITIVE_INFINITY ? this.nowMs + 86_400_000 : nextMs - 1
    const forgotten = lookMs > this.nowMs ? this.laws.forgotten(tasks, lookMs, served) : []
    assert.deepEqual(
      forgotten.map(({ id }) => id),
      [],
      "a worker with room slept while these could have been claimed",
    )
    assert.ok(nextMs < Number.POSITIVE_INFINITY, `everybody sleeps for ever, and ${tasks.length} tasks wait`)
    this.world.stepClock(nextMs - this.nowMs)
  }

  private async turn(sleeper: Sleeper): Promise<void> {
    this.countTurn(sleeper)
    this.listen(sleeper)
    const ended = sleeper.runs.filter(({ endsAtMs }) => endsAtMs <= this.nowMs)
    sleeper.runs = sleeper.runs.filter((run) => !ended.includes(run))
    const { room } = sleeper
    const request = {
      workerId: sleeper.id,
      settles: ended.map(({ id, fence, drawn }) => {
        const gates = this.laws.watcher.running.get(id)?.task.gates ?? []
        return { id, fence, ...drawn.settle, spent: toldOf(gates, drawn.settle.spent) }
      }),
      heartbeats: [],
      leaseMs,
      claim: { number: ++sleeper.number, types: sleeper.types.map((type) => ({ type, room })), max: room },
    }
    const answer = await this.store.exchange(request)
    this.take(sleeper, answer)
    await this.laws.saw("exchange", request, answer)
  }

  /** Asking again and again in the same moment has to come to an end. */
  private countTurn(sleeper: Sleeper): void {
    const { turnsAt } = sleeper
    sleeper.turnsAt = { ms: this.nowMs, turns: turnsAt.ms === this.nowMs ? turnsAt.turns + 1 : 1 }
    assert.ok(sleeper.turnsAt.turns <= 200, "a worker is sent back and forth for ever without time passing")
  }

  /** A worker starts to wait before it asks. */
  private listen(sleeper: Sleeper): void {
    sleeper.hasNews = false
    if (sleeper.isWaiting) return
    sleeper.isWaiting = true
    void this.store.wait({ workerId: sleeper.id }, new AbortController().signal).then(() => {
      sleeper.isWaiting = false
      sleeper.hasNews = true
    })
  }

  private take(sleeper: Sleeper, answer: ExchangeAnswer): void {
    for (const { id, fence } of answer.claimed) {
      const { runs } = this.drawn
      const drawn = runs[this.started++] ?? usualRun
      sleeper.runs.push({ id, fence, endsAtMs: answer.nowMs + drawn.takesMs, drawn })
    }
    sleeper.wakesAtMs = answer.more ? answer.nowMs : answer.nextAtMs
    for (const { id, fence } of answer.cancelled) {
      sleeper.runs = sleeper.runs.map((run) =>
        run.id === id && run.fence === fence ? { ...run, endsAtMs: answer.nowMs, drawn: stopped } : run,
      )
    }
  }

  private async submit(drawn: Drawn["tasks"]): Promise<void> {
    const largest = largestOf(this.drawn.policies)
    const tasks = drawn.map(({ gates, ...task }) => {
      const id = `task-${this.ids.length + 1}`
      this.ids.push(id)
      return { ...task, id, gates: gates.map((gate) => ({ ...gate, cost: Math.min(gate.cost, largest[gate.limit] ?? 1) })) }
    })
    const answer = await this.store.submit({ tasks })
    // An override may not let that much pass.
    assert.ok(answer.kind === "ok" || answer.kind === "cost_above_limit", answer.kind)
  }

  /** What is on the calendar for now, if anything. */
  private async happen(): Promise<boolean> {
    const at = this.agenda.findIndex(({ atMs }) => atMs <= this.nowMs)
    const [next] = at < 0 ? [] : this.agenda.splice(at, 1)
    if (next) await this.carryOut(next.what)
    return next !== undefined
  }

  private async carryOut(what: Happening): Promise<void> {
    if (what.do === "submit") return this.submit(what.tasks)
    if (what.do === "cancel") {
      const id = this.ids[what.pick % this.ids.length] ?? ""
      await this.store.cancel({ ids: [id] })
    } else if (what.do === "start") {
      for (const sleeper of this.sleepers) if (sleeper.number === 0) sleeper.isUp = true
      const missing = types.filter((type) => !this.sleepers.some((sleeper) => sleeper.isUp && sleeper.types.includes(type)))
      if (missing.length > 0) this.sleepers.push(new Sleeper(`w${this.sleepers.length}`, { serves: [0, 1], capacity: 2, isLate: false }))
    } else if (what.do === "crash") this.crash(what.pick)
    else if (what.do === "sweep") {
      const request = { backoff: { baseMs: 1_000, factor: 2, capMs: 3_000 }, random: 0.5, retentionMs: null }
      const answer = await this.store.sweep(request)
      await this.laws.saw("sweep", request, answer)
    } else await this.changeLimit(what)
  }

  /** A worker is gone with all that it runs; another comes up, and somebody sweeps when its leases have ended. */
  private crash(pick: number): void {
    const sleeper = this.sleepers[pick % this.sleepers.length]
    if (!sleeper?.isUp) return
    sleeper.isUp = false
    sleeper.runs = []
    const serves = sleeper.types.map((type) => types.indexOf(type as never))
    this.sleepers.push(new Sleeper(`r${++this.restarts}`, { serves, capacity: sleeper.capacity, isLate: false }))
    this.agenda.push({ atMs: this.nowMs + leaseMs, what: { do: "sweep" } })
  }

  private async changeLimit(what: Extract<Happening, { limit: string }>): Promise<void> {
    const { do: kind, limit, key } = what
    const untilMs = "forMs" in what ? this.nowMs + what.forMs : null
    const override = "concurrency" in what ? { concurrency: what.concurrency } : {}
    const change = kind === "set" ? { kind, override, untilMs } : kind === "close" ? { kind, untilMs } : { kind }
    const request = { limit, key, change, by: "somebody" }
    await this.laws.saw("changeLimit", request, await this.store.changeLimit(request as never))
  }
}

const nothingSpent = { spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }
const usualRun: DrawnRun = { takesMs: 100, settle: { outcome: { kind: "completed", output: null }, ...nothingSpent } }
const stopped: DrawnRun = { takesMs: 0, settle: { outcome: { kind: "cancelled" }, ...nothingSpent } }

// The laws of gates, checked from outside: nothing here comes from src. After every exchange
//
//   - what was admitted was admissible by the sum of all charges, and slots by the count of those who hold them;
//   - every gate reports what the charges add up to: whoever was refused by one gate was charged by none;
//   - a lane was not reordered;
//   - nobody was forgotten: see `forgotten`.

import assert from "node:assert/strict"
import type { Rate } from "./gate-book.ts"
import { type Exchange, type Exchanged, type Gate, nameOf, type Task, Watcher } from "./gate-watch.ts"

interface GateReport {
  readonly limit: string
  readonly key: string
  readonly levels: readonly { readonly used: number }[]
  readonly slots: { readonly held: number } | null
  readonly opensAtMs: number | null
  readonly isPaused: boolean
  readonly closedUntilMs: number | null
  readonly cooldown: { readonly untilMs: number; readonly count: number } | null
  readonly pace: { readonly everyUs: number; readonly nextAtMs: number } | null
}

/** How an observer looks: at all that is pending, and at what all gates of a limit say. */
export interface Looks {
  pending(): Promise<readonly Task[]>
  gates(): Promise<{ readonly nowMs: number; readonly gates: readonly GateReport[] }>
}

const inLane = (a: Task, b: Task) => b.priority - a.priority || a.readyAtMs - b.readyAtMs || a.seq - b.seq
const laneOf = ({ type, flow, gates }: Task) => JSON.stringify([type, flow, gates?.map(nameOf) ?? null])

export class Laws {
  readonly watcher: Watcher
  private readonly looks: Looks

  constructor(base: ConstructorParameters<typeof Watcher>[0], looks: Looks) {
    this.watcher = new Watcher(base)
    this.looks = looks
  }

  async saw(operation: string, request: unknown, answer: unknown): Promise<void> {
    if (!["exchange", "changeLimit", "sweep", "permit"].includes(operation)) return
    const { watcher } = this
    watcher.nowMs = (answer as { nowMs?: number }).nowMs ?? (await this.looks.gates()).nowMs
    if (operation === "exchange") await this.exchanged(request as Exchange, answer as Exchanged)
    if (operation === "changeLimit" && (answer as { kind: string }).kind === "ok") watcher.changed(request as never)
    if (operation === "sweep") watcher.swept()
    const permit = answer as { kind: string; waitMs: number }
    if (operation === "permit" && permit.kind === "ok") watcher.permitted(request as never, permit.waitMs)
    if (operation !== "exchange") await this.checkReports()
  }

  private async exchanged(request: Exchange, answer: Exchanged): Promise<void> {
    const { watcher } = this
    if (!request.claim && request.settles.length + request.heartbeats.length === 0) return
    watcher.settled(request, answer)
    watcher.kept(request, answer)
    const fresh = answer.claimed.filter(({ id, fence }) => watcher.running.get(id)?.task.fence !== fence)
    for (const task of fresh) {
      for (const gate of task.gates ?? []) {
        assert.ok(watcher.admits(gate, answer.nowMs, "least"), `${task.id} was let through ${nameOf(gate)}, which was not open for it`)
      }
      watcher.claimed(task)
    }
    await this.checkReports()
    if (!request.claim) return
    const pending = await this.looks.pending()
    checkOrder(fresh, pending, answer.nowMs)
    if (answer.more || (answer.nextAtMs !== null && answer.nextAtMs <= answer.nowMs)) return
    const served = request.claim.types.filter(({ type, room }) => room > fresh.filter((task) => task.type === type).length)
    if (fresh.length >= request.claim.max) return
    const left = this.forgotten(pending, answer.nowMs, new Set(served.map(({ type }) => type)))
    assert.deepEqual(
      left.map(({ id }) => id),
      [],
      "these could have been claimed",
    )
  }

  /**
   * Heads of lanes that nothing holds and nobody comes for. A lane stands ready, or waits at one gate; after a claim that was not
   * ended by budget or room, no lane of the types asked for is ready, and of those who wait at a gate the first cannot
   * pass that gate. So a head that could pass all its gates can only stand behind another of its type, at a gate that both pass, whose
   * head is not behind it in rank and costs more there than is free: whoever costs much keeps his place at the gate that he waits for.
   * Whom another gate holds waits there, and is passed here.
   */
  forgotten(pending: readonly Task[], nowMs: number, types: ReadonlySet<string>): Task[] {
    const heads = headsOf(pending, nowMs).filter(({ type }) => types.has(type))
    const isExcused = (task: Task) => heads.some((other) => other !== task && this.keepsBack(other, task, nowMs))
    return heads.filter((task) => this.couldPass(task, nowMs) && !isExcused(task))
  }

  private couldPass(task: Task, nowMs: number): boolean {
    return (task.gates ?? []).every((gate) => this.watcher.admits(gate, nowMs, "most"))
  }

  private keepsBack(first: Task, task: Task, nowMs: number): boolean {
    if (first.type !== task.type || first.priority < task.priority) return false
    if (first.flow === task.flow && inLane(first, task) > 0) return false
    return (first.gates ?? []).some((gate) => {
      const own = task.gates?.find((one) => nameOf(one) === nameOf(gate))
      return own !== undefined && own.cost < gate.cost && !this.watcher.admits(gate, nowMs, "most")
    })
  }

  private async checkReports(): Promise<void> {
    const { nowMs, gates } = await this.looks.gates()
    this.watcher.nowMs = nowMs
    for (const report of gates) this.checkReport(report, nowMs)
  }

  private checkReport(report: GateReport, nowMs: number): void {
    const { watcher } = this
    watcher.keepsPace(report, report.pace)
    const [book, policy, name, nowUs] = [watcher.book(report), watcher.policy(report), nameOf(report), nowMs * 1_000]
    for (const [i, rate] of policy.rates.entries()) {
      const used = report.levels[i]?.used ?? -1
      const [least, most] = [book.level(policy, i, nowUs, "least"), book.level(policy, i, nowUs, "most")]
      assert.ok(used >= least && used <= most, `${name} says ${used} of its ${rate.provider} rate, and ${least} to ${most} were charged`)
    }
    if (policy.concurrency !== null) assert.equal(report.slots?.held, book.held(nowUs), `slots held at ${name}`)
    assert.equal(
      report.cooldown?.untilMs ?? null,
      book.closedUntilUs > nowUs ? Math.ceil(book.closedUntilUs / 1_000) : null,
      `cooldown of ${name}`,
    )
    const closedMs = watcher.closedUntilMs(report)
    assert.equal(report.isPaused, closedMs === Number.POSITIVE_INFINITY)
    assert.equal(report.closedUntilMs, closedMs > nowMs && !report.isPaused ? closedMs : null, `${name} is closed by hand`)
    const one: Gate = { limit: report.limit, key: report.key, cost: 1 }
    const opensNow = report.opensAtMs !== null && report.opensAtMs <= nowMs
    if (watcher.admits(one, nowMs, "most")) assert.ok(opensNow, `${name} says that it is closed`)
    if (!watcher.admits(one, nowMs, "least")) assert.ok(!opensNow, `${name} says that it is open`)
  }

  /** Over the whole run, once more and in another way: whatever was spent, in every interval and every window. */
  checkRun(): void {
    for (const [name, book] of this.watcher.allBooks()) {
      const [limit = "", key = ""] = name.split("/")
      const { rates } = this.watcher.policy({ limit, key })
      if (this.watcher.overspent.has(limit)) continue
      for (const [i, rate] of rates.entries()) {
        const charged = book.charges.map(({ atUs, costs }) => ({ atUs, cost: costs[i] ?? 0 })).sort((a, b) => a.atUs - b.atUs)
        assert.ok(isWithin(rate, charged), `${name} has let too much through its ${rate.provider} rate`)
      }
    }
  }
}

interface Charged {
  readonly atUs: number
  readonly cost: number
}

function isWithin(rate: Rate, charged: readonly Charged[]): boolean {
  return charged.every((from, i) => {
    const later = charged.slice(i)
    if (rate.provider === "bucket") return isWithinBucket(rate, from, later)
    const startUs = Math.floor((from.atUs - rate.phaseUs) / rate.perUs) * rate.perUs + rate.phaseUs
    const endUs = rate.provider === "fixed" ? startUs + rate.perUs : from.atUs + rate.perUs
    return later.filter(({ atUs }) => atUs < endUs).reduce((sum, { cost }) => sum + cost, 0) <= rate.limit
  })
}

/** burst + rate · t, from each charge on. */
function isWithinBucket({ burst, limit, perUs }: Rate, from: Charged, later: readonly Charged[]): boolean {
  let sum = 0
  return later.every(({ atUs, cost }) => {
    sum += cost
    return sum * perUs <= burst * perUs + limit * (atUs - from.atUs)
  })
}

/** The first of each lane, of what is due and routed. */
function headsOf(pending: readonly Task[], nowMs: number): Task[] {
  const heads = new Map<string, Task>()
  for (const task of pending) {
    if (task.gates === null || task.availableAtMs > nowMs) continue
    const known = heads.get(laneOf(task))
    if (!known || inLane(task, known) < 0) heads.set(laneOf(task), task)
  }
  return [...heads.values()]
}

/** Nobody was taken before one who stands before him in the same lane, in this claim or left behind by it. */
function checkOrder(claimed: readonly Task[], pending: readonly Task[], nowMs: number): void {
  for (const [i, task] of claimed.entries()) {
    const lane = laneOf(task)
    const before = claimed.slice(0, i).filter((other) => laneOf(other) === lane && inLane(other, task) > 0)
    const left = pending.filter((other) => other.availableAtMs <= nowMs && laneOf(other) === lane && inLane(other, task) < 0)
    assert.deepEqual(
      [...before, ...left].map(({ id }) => id),
      [],
      `${task.id} has overtaken these in its lane`,
    )
  }
}

// The history checker: takes the events of all processes, in any order, and says whether the promises were kept.

import type { Faulted, HistoryEvent, Looked, Permitted } from "./events.ts"
import { type Admission, type GateFacts, type Holding, judgeGate } from "./gate-rules.ts"
import { judgeLook } from "./look-rules.ts"
import { PolicyLine } from "./policy-line.ts"
import type { CheckerOptions, HistoryReport, Totals, Violation } from "./report.ts"
import { type Lease, Story } from "./story.ts"
import { Submissions } from "./submissions.ts"
import { judgeTask, leaseEndMs } from "./task-rules.ts"

/** A fault of the store, or of everybody. */
const everybody = "*"

export class HistoryChecker {
  private readonly startWithinMs: number | null
  private readonly toleranceMs: number
  private readonly stories = new Map<string, Story>()
  private readonly submissions = new Submissions()
  private readonly faults = new Map<string, Faulted[]>()
  private readonly lines = new Map<string, PolicyLine>()
  private readonly permits: Permitted[] = []
  private readonly looks: Violation[] = []
  private rest: Looked | null = null
  private latest: Looked | null = null
  private events = 0
  private unknownOutcomes = 0
  private runs = 0

  constructor({ startWithinMs, toleranceMs = 0 }: CheckerOptions = {}) {
    this.startWithinMs = startWithinMs ?? null
    this.toleranceMs = toleranceMs
  }

  add(event: HistoryEvent): void {
    this.events++
    if ("phase" in event && event.phase === "unknown") this.unknownOutcomes++
    switch (event.op) {
      case "submit":
        this.submissions.add(event)
        break
      case "claim":
        this.story(event.task).claimed(event)
        break
      case "run":
        if (event.phase === "start") this.runs++
        this.story(event.task).add(event)
        break
      case "renew":
      case "settle":
        this.story(event.task).add(event)
        break
      case "permit":
        this.permits.push(event)
        break
      case "move":
        this.story(event.task).moved(event)
        break
      case "fault":
        this.fault(event)
        break
      case "policy":
        this.line(event.limit).add(event)
        break
      case "look":
        this.look(event)
        break
    }
  }

  /** Judges what has been added so far. What is true only at rest is judged once a look at rest has been added. */
  check(): HistoryReport {
    const gates = this.gates()
    const atRest = new Map(this.rest?.tasks.map((task) => [task.id, task]))
    const violations = [...this.submissions.judge(this.latest), ...this.looks]
    for (const [id, story] of this.stories) {
      const { toleranceMs } = this
      const view = { faultsOf: this.faultsOf, toleranceMs, atRest: atRest.get(id) ?? null, hasRuns: this.runs > 0 }
      violations.push(...judgeTask(story, view))
    }
    for (const [id, { status }] of atRest) {
      if (!this.stories.has(id) && (status === "pending" || status === "running"))
        violations.push({ kind: "not_drained", about: id, message: `task ${id}: it is still ${status}, and was never claimed` })
    }
    for (const gate of gates) violations.push(...judgeGate(gate, this.startWithinMs))
    return { violations, totals: this.totals(gates) }
  }

  private readonly faultsOf = (worker: string): readonly Faulted[] => {
    return [...(this.faults.get(worker) ?? []), ...(this.faults.get(everybody) ?? [])]
  }

  private fault(event: Faulted): void {
    const known = this.faults.get(event.victim)
    if (known) known.push(event)
    else this.faults.set(event.victim, [event])
  }

  private look(event: Looked): void {
    this.looks.push(...judgeLook(event))
    if (!this.latest || event.atMs >= this.latest.atMs) this.latest = event
    if (event.isRest) this.rest = event
    for (const { id, claims, gates } of event.tasks) {
      const story = claims && claims.length > 0 ? this.story(id) : null
      for (const claim of claims ?? []) story?.heardOf(claim, gates ?? [])
    }
  }

  private story(id: string): Story {
    const story = this.stories.get(id) ?? new Story(id)
    this.stories.set(id, story)
    return story
  }

  private line(limit: string): PolicyLine {
    const line = this.lines.get(limit) ?? new PolicyLine()
    this.lines.set(limit, line)
    return line
  }

  /** What went through each gate of which a policy is known. */
  private gates(): GateFacts[] {
    const gates = new Map<string, GateFacts>()
    const gateOf = (limit: string, key: string) => {
      const line = this.lines.get(limit)
      const name = `${limit}/${key}`
      if (line && !gates.has(name)) gates.set(name, { name, line, admissions: [], holdings: [] })
      return gates.get(name)
    }
    for (const story of this.stories.values()) {
      for (const lease of story.leases.values()) {
        for (const { limit, key, cost } of lease.gates) {
          const gate = gateOf(limit, key)
          gate?.admissions.push(this.admission(story, lease, limit, cost))
          gate?.holdings.push(this.holding(story, lease, gate.line.isSlotsAlone ? cost : 1))
        }
      }
    }
    for (const { task, fence, limit, cost, atMs } of this.permits) {
      for (const gate of this.stories.get(task)?.leases.get(fence)?.gates ?? []) {
        if (limit !== null && gate.limit !== limit) continue
        const admission = { atMs, cost: cost ?? gate.cost, who: `a permit of ${task}`, isAhead: true, startMs: null }
        gateOf(gate.limit, gate.key)?.admissions.push(admission)
      }
    }
    return [...gates.values()]
  }

  /** What was reserved and not used may be used by others; what was used beyond it is a debt that nobody could prevent. */
  private admission(story: Story, { atMs, settled, unanswered, saidSpent, fence, run }: Lease, limit: string, cost: number): Admission {
    // A settle whose answer nobody got may have given it back.
    const spent = settled?.spent ?? (unanswered > 0 ? saidSpent : {})
    return { atMs, cost: Math.min(cost, spent[limit] ?? cost), who: `${story.id} (fence ${fence})`, isAhead: false, startMs: run.startMs }
  }

  private holding(story: Story, lease: Lease, slots: number): Holding {
    return { fromMs: lease.atMs, untilMs: leaseEndMs(lease, this.toleranceMs), slots, who: `${story.id} (fence ${lease.fence})` }
  }

  private totals(gates: readonly GateFacts[]): Totals {
    const stories = [...this.stories.values()]
    const leases = stories.flatMap((story) => [...story.leases.values()])
    const faults: Record<string, number> = {}
    for (const { fault } of [...this.faults.values()].flat()) faults[fault] = (faults[fault] ?? 0) + 1
    return {
      events: this.events,
      tasks: new Set([...this.submissions.acked.keys(), ...this.stories.keys()]).size,
      claims: leases.length,
      settles: leases.filter(({ settled }) => settled !== null).length,
      refusedSettles: stories.reduce((sum, { refusedSettles }) => sum + refusedSettles, 0),
      lostLeases: leases.filter(({ settled }) => settled === null).length,
      runs: this.runs,
      overlaps: stories.reduce((sum, story) => sum + overlaps(story), 0),
      admissions: gates.reduce((sum, { admissions, line }) => sum + (line.rates().length > 0 ? admissions.length : 0), 0),
      slotsTaken: gates.reduce(
        (sum, { holdings, line }) => sum + (line.slotsAt(Number.MAX_SAFE_INTEGER) === null ? 0 : holdings.length),
        0,
      ),
      unknownOutcomes: this.unknownOutcomes,
      faults,
    }
  }
}

/** Handlers that began before an earlier one of the same task had ended. */
function overlaps(story: Story): number {
  const runs = story.sorted().flatMap(({ run }) => (run.startMs === null ? [] : [run]))
  return runs.filter(({ startMs }, i) => runs.slice(0, i).some(({ endMs }) => endMs !== null && endMs > (startMs ?? 0))).length
}

export function checkHistory(events: Iterable<HistoryEvent>, options: CheckerOptions = {}): HistoryReport {
  const checker = new HistoryChecker(options)
  for (const event of events) checker.add(event)
  return checker.check()
}

// One run in virtual time. The gates are those of src/limits, and tasks come to them as the claim of a store lets them: who came
// first goes first, a lane whose head is refused waits at the gate that opens last, and nobody overtakes at a gate.
//
// Time goes from event to event, in whole milliseconds as on the clock of a store: tasks end, tasks arrive, gates open.

import { admitAll, type GateState, neverUs, settleGate } from "../limits/index.ts"
import type { Drawn } from "./draw.ts"
import { type Gate, holdingOf, inForce } from "./gate.ts"
import { Gates } from "./gates.ts"
import { Heap } from "./heap.ts"
import { type HeldTime, HeldTimes } from "./held.ts"
import { costAt, headOf, type Lane, newLane } from "./lane.ts"
import { Openings } from "./openings.ts"
import type { Plan } from "./plan.ts"

export interface Run {
  /** From the start to the end of the last task; null where tasks are left that nothing lets pass. */
  readonly lengthUs: number | null
  /** From the start to the start of the last task that has started. */
  readonly lastStartUs: number
  /** Of each task, without those that wait in the store already: when it started, and how long after it had come. NaN where it did not. */
  readonly startsMs: Float64Array
  readonly waitsMs: Float64Array
  readonly mostRunning: number
  readonly lastArrivalMs: number
  readonly waitingAtLastArrival: number
  readonly held: readonly HeldTime[]
  /** The limits that have refused somebody. */
  readonly refusing: ReadonlySet<number>
  readonly lackedRoom: boolean
}

interface Running {
  readonly task: number
  readonly lane: Lane
  readonly startUs: number
  readonly endUs: number
}

export function run(plan: Plan, drawn: Drawn): Run {
  return new Engine(plan, drawn).run()
}

class Engine {
  private readonly plan: Plan
  private readonly drawn: Drawn
  private readonly startUs: number
  private nowUs: number
  private readonly lanes: readonly Lane[]
  private readonly ready = new Heap<Lane>((a, b) => headOf(a) < headOf(b))
  private readonly running = new Heap<Running>((a, b) => a.endUs < b.endUs || (a.endUs === b.endUs && a.task < b.task))
  private readonly openings = new Openings()
  /** Lanes that wait at gates, by the head that they had when they came to stand there. */
  private readonly parked = new Heap<{ readonly head: number; readonly lane: Lane }>((a, b) => a.head < b.head)
  private readonly held = new HeldTimes()
  private readonly refusing = new Set<number>()
  private readonly startsMs: Float64Array
  private readonly waitsMs: Float64Array
  private arrived = 0
  private started = 0
  private lastStartUs = 0
  private lastEndUs = 0
  private mostRunning = 0
  private waitingAtLastArrival: number | null = null
  private lackedRoom = false

  constructor(plan: Plan, drawn: Drawn) {
    this.plan = plan
    this.drawn = drawn
    this.startUs = plan.startMs * 1_000
    this.nowUs = this.startUs
    this.startsMs = new Float64Array(plan.tasks).fill(Number.NaN)
    this.waitsMs = new Float64Array(plan.tasks).fill(Number.NaN)
    const gates = new Gates(plan)
    this.lanes = drawn.lanes.map((passes) => newLane(passes.map(({ limit, key, cost }) => ({ gate: gates.gate(limit, key), cost }))))
  }

  run(): Run {
    for (;;) {
      this.endTasks()
      this.takeArrivals()
      this.startTasks()
      const nextUs = this.nextUs()
      if (nextUs >= neverUs) break
      this.blame(nextUs - this.nowUs)
      this.nowUs = nextUs
    }
    const isOver = this.started === this.drawn.laneOf.length
    if (!isOver) this.blame(1)
    return {
      lengthUs: isOver ? this.lastEndUs - this.startUs : null,
      lastStartUs: this.lastStartUs - this.startUs,
      startsMs: this.startsMs,
      waitsMs: this.waitsMs,
      mostRunning: this.mostRunning,
      lastArrivalMs: (this.arrivalUs(this.drawn.laneOf.length - 1) - this.startUs) / 1_000,
      waitingAtLastArrival: this.waitingAtLastArrival ?? 0,
      held: this.held.all(),
      refusing: this.refusing,
      lackedRoom: this.lackedRoom,
    }
  }

  private get hasRoom(): boolean {
    return this.plan.room === null || this.running.size < this.plan.room
  }

  private endTasks(): void {
    for (let first = this.running.peek(); first && first.endUs <= this.nowUs; first = this.running.peek()) {
      this.running.pop()
      const { task, lane, startUs, endUs } = first
      for (const { gate, cost } of lane.passes) {
        const { policy, hearsOfEnds } = inForce(gate, this.nowUs)
        if (!hearsOfEnds) continue
        const times = { admittedAtUs: startUs, sentAtUs: startUs, respondedAtUs: endUs, rttUs: null }
        gate.state = settleGate(policy, gate.state, this.nowUs, { id: String(task), fence: 1, reserved: cost, actual: null, ...times })
        this.openings.tell(gate, this.nowUs)
      }
    }
  }

  private takeArrivals(): void {
    const { laneOf } = this.drawn
    while (this.arrived < laneOf.length && this.arrivalUs(this.arrived) <= this.nowUs) {
      const task = this.arrived++
      const lane = this.lanes[laneOf[task] ?? 0]
      lane?.tasks.push(task)
      if (lane && lane.tasks.length - lane.at === 1) this.ready.push(lane)
    }
  }

  private arrivalUs(task: number): number {
    const { arrivals } = this.plan
    const n = task - this.drawn.ahead
    return arrivals === null || n <= 0 ? this.startUs : this.startUs + Math.floor((n * arrivals.perMs) / arrivals.limit) * 1_000
  }

  private startTasks(): void {
    while (this.hasRoom) {
      for (const lane of this.openings.called(this.nowUs)) this.ready.push(lane)
      const lane = this.ready.pop()
      if (!lane) break
      this.tryHead(lane)
    }
    const waiting = this.arrived - this.started
    if (waiting > 0 && !this.hasRoom) this.lackedRoom = true
    if (this.arrived === this.drawn.laneOf.length) this.waitingAtLastArrival ??= waiting
  }

  private tryHead(lane: Lane): void {
    const { calledBy } = lane
    lane.calledBy = null
    const before = lane.passes.find(({ gate }) => {
      const first = gate.waiting.peek()
      return first !== undefined && headOf(first) < headOf(lane)
    })
    if (before) this.park(lane, before.gate)
    else this.ask(lane)
    if (calledBy && calledBy.waiting.peek() !== lane) this.openings.tell(calledBy, this.nowUs)
  }

  private ask(lane: Lane): void {
    const task = headOf(lane)
    const endUs = this.nowUs + (this.drawn.durationsMs[task] ?? 0) * 1_000
    const id = String(task)
    const toPass = lane.passes.map(({ gate, cost }) => {
      const { policy, delayUs } = inForce(gate, this.nowUs)
      return { name: gate.name, policy, state: gate.state, passage: { id, fence: 1, cost, untilUs: endUs, delayUs } }
    })
    const admission = admitAll(toPass, this.nowUs)
    if (admission.kind === "refused") {
      const gate = lane.passes.find((pass) => pass.gate.name === admission.blockedBy)?.gate
      if (!gate) throw new RangeError(`no gate ${admission.blockedBy}`)
      this.refusing.add(gate.limit)
      this.park(lane, gate)
      if (gate.waiting.peek() === lane) this.openings.set(gate, admission.atUs)
      return
    }
    for (const [i, { gate }] of lane.passes.entries()) {
      gate.state = admission.states[i] as GateState
      this.openings.tell(gate, this.nowUs)
    }
    this.start(task, lane, endUs)
  }

  private start(task: number, lane: Lane, endUs: number): void {
    lane.at++
    this.started++
    this.lastStartUs = this.nowUs
    this.lastEndUs = Math.max(this.lastEndUs, endUs)
    this.running.push({ task, lane, startUs: this.nowUs, endUs })
    this.mostRunning = Math.max(this.mostRunning, this.running.size)
    const n = task - this.drawn.ahead
    if (n >= 0) {
      this.startsMs[n] = (this.nowUs - this.startUs) / 1_000
      this.waitsMs[n] = (this.nowUs - this.arrivalUs(task)) / 1_000
    }
    if (lane.at < lane.tasks.length) this.ready.push(lane)
  }

  private park(lane: Lane, gate: Gate): void {
    lane.standsAt = gate
    gate.waiting.push(lane)
    this.parked.push({ head: headOf(lane), lane })
  }

  private nextUs(): number {
    let nextUs = this.running.peek()?.endUs ?? neverUs
    if (this.arrived < this.drawn.laneOf.length) nextUs = Math.min(nextUs, this.arrivalUs(this.arrived))
    const opening = this.openings.next()
    // One that is open already waits for somebody to have room.
    return opening && opening.atUs > this.nowUs ? Math.min(nextUs, opening.atUs) : nextUs
  }

  /** Who has held the task that has waited longest, until the next event. */
  private blame(us: number): void {
    if (us === 0 || this.arrived === this.started) return
    const lane = this.longestParked()
    const ready = this.ready.peek()
    const gate = lane?.standsAt
    if (!lane || !gate || gate.dueUs <= this.nowUs || (ready && headOf(ready) < headOf(lane))) this.held.add(null, us)
    else this.held.add({ limit: gate.limit, holding: holdingOf(gate, this.nowUs, costAt(lane, gate)) }, us)
  }

  private longestParked(): Lane | undefined {
    for (let first = this.parked.peek(); first; first = this.parked.peek()) {
      if (first.lane.standsAt !== null && headOf(first.lane) === first.head) return first.lane
      this.parked.pop()
    }
    return undefined
  }
}

// The gates as one atomic step sees them: read once, changed in memory, written when the step ends. Every gate that was
// changed and has waiters gets a new due time there, so that no opening is missed.

import { SluiceError, shown } from "../errors/index.ts"
import {
  type AdmissionOfAll,
  admit,
  admitAll,
  emptyGate,
  type GatePolicy,
  type GateState,
  gateOpensAtUs,
  largestCost,
  neverUs,
} from "../limits/index.ts"
import { type GateRef, gateName, jobLimit, type TaskRecord } from "../task/index.ts"
import { type FlowRow, placeOf } from "./claim.ts"
import { closedBy, costToReserve, delayUsOf, refAt, reservedRef } from "./costs.ts"
import type { GateKey, StoredGate } from "./limit-records.ts"
import type { RouteResult } from "./limits-contract.ts"
import { Lines } from "./lines.ts"
import { hasSetting, hasSettings, type InForce, inForce, type LimitRecord } from "./policies.ts"
import type { Records } from "./records.ts"
import { withoutShares } from "./shares.ts"
import { type TimeOf, Waiting } from "./waiting.ts"

/** A gate within a step. */
export interface OpenGate {
  readonly limit: string
  readonly key: string
  readonly name: string
  readonly force: InForce
  state: GateState
  /** 0 until it is written for the first time. */
  number: number
  /** False where nobody waits; where it is true somebody may. */
  hasWaiters: boolean
  /** The same of calls. */
  hasCalls: boolean
  isChanged: boolean
}

/** `gates`: those of the task, with what was charged. */
export type Passing = { readonly kind: "passed"; readonly gates: readonly GateRef[] } | { readonly kind: "held"; readonly by: OpenGate }

export class Gates {
  private readonly records: Records
  /** False: nobody has declared its limit. */
  private readonly open = new Map<string, OpenGate | false>()
  private readonly byNumber = new Map<number, OpenGate>()
  private readonly limits = new Map<string, { readonly limit: LimitRecord | null }>()
  /** By limit: what holds for all of its gates that have no setting of their own; and the same of limits where none has. */
  private readonly forces = new Map<string, InForce>()
  private readonly forcesOfAll = new Map<string, InForce>()
  private changed: OpenGate[] = []
  private readonly waiting: Waiting
  /** Those whose pace has changed in this step. */
  readonly paced = new Set<OpenGate>()
  /** Calls that wait at gates. */
  readonly lines: Lines

  constructor(records: Records) {
    this.records = records
    this.lines = new Lines(records, this)
    this.waiting = new Waiting(records)
  }

  private lateMs(): number {
    return this.records.clockErrorMs ?? 0
  }

  private nowUs(): number {
    return this.records.nowMs * 1_000
  }

  limit(name: string): LimitRecord | null {
    const known = this.limits.get(name)
    if (known) return known.limit
    const limit = this.records.limits.limit(name)
    this.limits.set(name, { limit })
    return limit
  }

  /** After a change of limits: what was read before no longer holds. */
  forget(): void {
    this.limits.clear()
    this.forces.clear()
    this.forcesOfAll.clear()
    this.open.clear()
    this.changed = []
    this.byNumber.clear()
    this.lines.forget()
  }

  /** By the store's own number. */
  numbered(number: number): OpenGate | null {
    const known = this.byNumber.get(number)
    if (known) return known
    const stored = this.records.limits.gateByNumber(number)
    const gate = stored && this.gate(stored, stored)
    if (gate) this.byNumber.set(number, gate)
    return gate
  }

  /** Null where nobody has declared its limit. `found` where the store has been asked already. */
  gate(key: GateKey, found?: StoredGate): OpenGate | null {
    const name = gateName(key)
    const known = this.open.get(name)
    if (known !== undefined) return known || null
    const force = this.inForce(key)
    const stored = force && (found ?? this.records.limits.gate(key, name))
    const gate = force && openGate(key, name, force, stored)
    this.open.set(name, gate ?? false)
    return gate
  }

  /** What holds for a gate; of a job's own it is the job that says so. */
  private inForce({ limit: name, key }: GateKey): InForce | null {
    const ofAll = this.forcesOfAll.get(name)
    if (ofAll) return ofAll
    if (name === jobLimit) return this.records.jobs.inForce(key)
    const limit = this.limit(name)
    if (!limit) return null
    if (hasSetting(limit, key)) return this.compute(limit, key)
    const known = this.forces.get(name)
    if (known) return known
    const force = this.compute(limit, key)
    this.forces.set(name, force)
    if (!hasSettings(limit)) this.forcesOfAll.set(name, force)
    return force
  }

  private compute(limit: LimitRecord, key: string): InForce {
    const force = inForce(limit, key, this.records.nowMs)
    return limit.shares ? withoutShares(force, limit.shares, this.records.nowMs) : force
  }

  /** The store's number for the gate, which is made if there is none. */
  numberOf(key: GateKey): number {
    const gate = this.gate(key)
    if (!gate) return 0
    if (gate.number === 0) this.write(gate)
    return gate.number
  }

  /** What is wrong with passing these gates, if anything. */
  check(gates: readonly GateRef[]): RouteResult | null {
    for (const ref of gates) {
      const force = this.inForce(ref)
      if (!force) return { kind: "unknown_limit", limit: ref.limit }
      const largest = largestCost(force.policy)
      if (ref.cost > largest) return { kind: "cost_above_limit", gate: gateName(ref), cost: ref.cost, largest }
    }
    return null
  }

  /** How many gates this step has looked at. */
  size(): number {
    return this.open.size
  }

  /**
   * Charges every gate of the task, or tells which one it has to wait at: one where a call, or somebody of its type, stands before it,
   * else the one that opens last.
   */
  pass(task: TaskRecord, virtualTime: number, timeOf: TimeOf, leaseMs: number): Passing {
    const refs = task.gates ?? []
    const untilUs = this.nowUs() + leaseMs * 1_000
    const [first] = refs
    if (first && refs.length === 1) {
      const gate = this.passed(task, first)
      return this.isHeld(task, gate, virtualTime, timeOf) ? { kind: "held", by: gate } : this.passOne(task, refs, first, gate, untilUs)
    }
    const gates = refs.map((ref) => this.passed(task, ref))
    for (const gate of gates) if (this.isHeld(task, gate, virtualTime, timeOf)) return { kind: "held", by: gate }
    const admission = this.admit(task, gates, untilUs)
    if (admission.kind === "refused") {
      const holding = gates.find((gate) => gate.name === admission.blockedBy)
      if (!holding) throw new SluiceError("store_damaged", `expected gate ${admission.blockedBy} among those of task ${shown(task.id)}`)
      return { kind: "held", by: holding }
    }
    const charged = refs.map((ref, i) => reservedRef(ref, costToReserve(gates[i] as OpenGate, task.type, ref), this.lateMs()))
    for (const [i, gate] of gates.entries()) this.change(gate, admission.states[i] as GateState)
    return { kind: "passed", gates: charged.every((ref, i) => ref === refs[i]) ? refs : charged }
  }

  /** Whether a call, or somebody of its type, stands before it. */
  private isHeld(task: TaskRecord, gate: OpenGate, virtualTime: number, timeOf: TimeOf): boolean {
    if (gate.hasCalls && this.lines.serve(gate) !== null) return true
    return gate.hasWaiters && this.waiting.isBehind(task.type, gate.number, placeOf(task, virtualTime), timeOf)
  }

  /** Charges the one gate that the task passes, as most do. */
  private passOne({ id, fence, type }: TaskRecord, refs: readonly GateRef[], ref: GateRef, gate: OpenGate, untilUs: number): Passing {
    const cost = costToReserve(gate, type, ref)
    const passage = { id, fence: fence + 1, cost, untilUs, delayUs: delayUsOf(gate, ref), lateUs: this.lateMs() * 1_000 }
    const admission = admit(gate.force.policy, closedBy(gate), this.nowUs(), passage)
    if (admission.kind === "refused") return { kind: "held", by: gate }
    this.change(gate, admission.state)
    const charged = reservedRef(ref, cost, this.lateMs())
    return { kind: "passed", gates: charged === ref ? refs : [charged] }
  }

  private passed(task: TaskRecord, ref: GateRef): OpenGate {
    const gate = this.gate(ref)
    // A limit is never forgotten, so that nobody has put this task here with it.
    if (!gate) throw new SluiceError("store_damaged", `task ${shown(task.id)}: expected gates of known limits, got ${shown(ref.limit)}`)
    return gate
  }

  private admit(task: TaskRecord, gates: readonly OpenGate[], untilUs: number): AdmissionOfAll {
    const who = { id: task.id, fence: task.fence + 1, untilUs, lateUs: this.lateMs() * 1_000 }
    const toPass = (task.gates ?? []).map((ref, i) => {
      const gate = gates[i] as OpenGate
      return { name: gate.name, policy: gate.force.policy, state: closedBy(gate), passage: { ...who, ...whatPasses(gate, task.type, ref) } }
    })
    return admitAll(toPass, this.nowUs())
  }

  /** A lane comes to stand at the gate: its number. Others now have to stand behind it. */
  join(gate: OpenGate, type: string, row: FlowRow): number {
    // Only to have a number: what has changed is written at the end, when those of other types hear of it as well.
    if (gate.number === 0) this.write(gate)
    gate.hasWaiters = true
    this.waiting.join(type, gate.number, row)
    return gate.number
  }

  /** Who waits there has changed, or has to be told when to look again. */
  look(type: string, gate: number): void {
    this.waiting.look(type, gate)
  }

  /** How many of those who wait may pass now: taken from a copy of the gate, one after the other. */
  rehearse(gate: OpenGate): (task: TaskRecord) => boolean {
    if (this.lines.serve(gate) !== null) return () => false
    let state = closedBy(gate)
    let n = 0
    return (task) => {
      const passage = { id: `rehearsal ${n++}`, fence: 0, untilUs: neverUs, ...whatPasses(gate, task.type, refAt(task, gate)) }
      const admission = admitAll([{ name: gate.name, policy: gate.force.policy, state, passage }], this.nowUs())
      if (admission.kind === "refused") return false
      state = admission.states[0] as GateState
      return true
    }
  }

  change(gate: OpenGate, state: GateState): void {
    if (state === gate.state) return
    gate.state = state
    if (!gate.isChanged) this.changed.push(gate)
    gate.isChanged = true
  }

  /** Ends the step: whoever waits hears of it, and changed gates are written. */
  close(): void {
    this.tell()
    for (const gate of this.changed) if (gate.isChanged) this.write(gate)
    this.changed = []
  }

  /** Those who wait where something has changed get the time at which it is worth looking again. */
  tell(): void {
    // Serving calls changes gates in turn: those are served by then.
    for (let i = 0; i < this.changed.length; i++) {
      const gate = this.changed[i] as OpenGate
      if (gate.isChanged && gate.hasCalls) this.lines.serve(gate)
    }
    for (const gate of this.changed) {
      if (gate.isChanged && gate.hasWaiters) for (const type of this.records.limits.typesAt(gate.number)) this.look(type, gate.number)
    }
    for (const gate of this.lines.takeMoved()) {
      if (gate.hasWaiters) for (const type of this.records.limits.typesAt(gate.number)) this.look(type, gate.number)
    }
    for (const { type, gate } of this.records.takeChangedPlaces()) this.look(type, gate)
    for (const { type, gate } of this.waiting.takeLooked()) this.records.limits.setDue(type, gate, this.dueAtMs(type, gate))
  }

  private write(gate: OpenGate): void {
    if (gate.number === 0) gate.number = this.records.limits.addGate(gate, gate.state).number
    else if (gate.isChanged) this.records.limits.saveGate(gate.number, gate.state)
    gate.isChanged = false
  }

  /** When the first of the type who waits at the gate may pass it; null when nobody does. */
  private dueAtMs(type: string, number: number): number | null {
    const head = this.waiting.headAt(type, number)
    const gate = head && this.numbered(number)
    if (!gate) return null
    const cost = costToReserve(gate, type, refAt(head, gate))
    const opensAtMs = Math.ceil(gateOpensAtUs(gate.force.policy, closedBy(gate), this.nowUs(), cost) / 1_000)
    // Behind a call: whoever serves it tells anew. If nobody does, because its owner has gone, its place is free at its end.
    const atMs = Math.max(opensAtMs, this.lines.serve(gate) ?? 0)
    return Math.min(atMs, gate.force.changesAtMs ?? atMs)
  }

  /** When the cost may pass, if nothing else happens; null: not before somebody does something. */
  opensAtMs(gate: OpenGate, cost: number): number | null {
    const atUs = gateOpensAtUs(gate.force.policy, closedBy(gate), this.nowUs(), cost)
    return atUs >= neverUs ? null : Math.ceil(atUs / 1_000)
  }

  /** Of all who hold a gate of the limit that this step has looked at. */
  longestLeaseMs(limit: string): number {
    const holders = [...this.open.values()].flatMap((gate) => (gate && gate.limit === limit ? gate.state.holders : []))
    return Math.max(0, ...holders.map(({ untilUs }) => Math.ceil((untilUs - this.nowUs()) / 1_000)))
  }
}

/** As the store has it, or as one that nobody has used yet. */
function openGate({ limit, key }: GateKey, name: string, force: InForce, stored: StoredGate | null): OpenGate {
  if (!stored) {
    const state = emptyGate(force.policy)
    return { limit, key, name, force, state, number: 0, hasWaiters: false, hasCalls: false, isChanged: false }
  }
  const { number, hasWaiters, hasCalls } = stored
  const state = stillPaced(force.policy, stored.state)
  return { limit, key, name, force, state, number, hasWaiters, hasCalls, isChanged: false }
}

/** What a way to learn that the code no longer has has left behind would never change again: it holds no more. */
function stillPaced({ adaptive }: GatePolicy, state: GateState): GateState {
  if (!state.pace && !state.window) return state
  const { pace, window, ...others } = state
  const keepsPace = pace !== undefined && (adaptive !== undefined || state.learned?.margin !== undefined)
  const keepsWindow = window !== undefined && adaptive?.preset === "scout"
  if (keepsPace === (pace !== undefined) && keepsWindow === (window !== undefined)) return state
  return { ...others, ...(keepsPace && { pace }), ...(keepsWindow && { window }) }
}

function whatPasses(gate: OpenGate, type: string, ref: GateRef): { readonly cost: number; readonly delayUs?: number } {
  const cost = costToReserve(gate, type, ref)
  const delayUs = delayUsOf(gate, ref)
  return delayUs > 0 ? { cost, delayUs } : { cost }
}

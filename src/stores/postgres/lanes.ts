// Lanes and flows in Postgres. Membership is a column of the task; heads are placed anew for the lanes that a step has touched, all at
// once, before the step's claim reads them and when the step ends.

import { type Chosen, compareHeads, type Head, ready } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import type { Place } from "./heads.ts"
import { type LaneName, LaneNames, type LaneNamesParts, nameOf } from "./lane-names.ts"
import { LaneReader, type LaneReaderParts } from "./lane-reader.ts"
import { NeedsLock } from "./mode.ts"

/** How far the tasks of a lane are counted. */
const countUpTo = 100_000

interface Standing {
  readonly type: string
  readonly flow: string
  readonly gate: number
}

/** What lanes need from the records around them. */
export interface LanesParts extends LaneNamesParts, Omit<LaneReaderParts, "names" | "met"> {
  readonly virtualTime: number
  /** For each task that comes to stand in a lane, and each that leaves one. */
  readonly count: (task: TaskRecord, by: 1 | -1) => void | Promise<void>
}

export class Lanes {
  /** What a claim sees of them, once they are placed. */
  readonly reader: LaneReader
  private readonly parts: LanesParts
  private readonly names: LaneNames
  /** Where tasks that this step has read stand. */
  private readonly laneOfSeq = new Map<number, number | null>()
  /** Where lanes stand, of those that this step has met. */
  private readonly whereabouts = new Map<number, Standing>()
  private readonly touched = new Set<number>()
  /** Of those that were touched: who has left, and which have got somebody, so that their heads have to be looked for. */
  private readonly left = new Map<number, Set<number>>()
  private readonly entered = new Set<number>()
  /** Where lanes are to stand from now on. */
  private readonly moves = new Map<number, number>()
  private readonly standings = new Map<string, Standing>()
  private readonly served = new Map<string, number>()
  /** Flows that became ready because a gate opened. They were not idle, and keep the virtual time that they waited with. */
  private readonly woken = new Set<string>()
  private readonly changed = new Map<string, Place>()

  constructor(parts: LanesParts) {
    this.parts = parts
    this.names = new LaneNames(parts)
    const met = (lane: number, type: string, flow: string, gate: number) => this.whereabouts.set(lane, { type, flow, gate })
    this.reader = new LaneReader({ ...parts, names: this.names, met }, parts.virtualTime)
  }

  /** Every row that a step reads comes by here, so that it is known where the task stands. */
  stands(seq: number, lane: number | null): void {
    this.laneOfSeq.set(seq, lane)
  }

  /** Lanes for tasks that are about to wait, made where there are none; answers with theirs, in their order. */
  async enter(tasks: readonly TaskRecord[]): Promise<number[]> {
    if (tasks.length === 0) return []
    const names = tasks.map(nameOf)
    if (this.parts.mode === "free" && names.some(({ isPlain }) => !isPlain)) throw new NeedsLock("a lane that is not plain")
    await this.parts.foresee(tasks)
    await this.names.find(names, this.reader.virtualTime)
    const lanes: number[] = []
    for (const [i, task] of tasks.entries()) {
      const known = this.names.of(names[i] as LaneName)
      this.laneOfSeq.set(task.seq, known.lane)
      this.entered.add(known.lane)
      this.whereabouts.set(known.lane, { type: task.type, flow: task.flow, gate: known.gate })
      // Behind a head it changes nothing of where the lane stands. A head that leaves touches the lane by itself.
      if (!known.isPlain && (!known.head || compareHeads(task, known.head) <= 0)) this.touched.add(known.lane)
      if (task.gates !== null && task.gates.length > 0) {
        const counted = this.parts.count(task, 1)
        if (counted) await counted
      }
      lanes.push(known.lane)
    }
    return lanes
  }

  /** Answers with whether it stood in one, and is to be discounted at its gates. */
  leaves(task: TaskRecord): boolean {
    const lane = this.laneOfSeq.get(task.seq) ?? null
    this.laneOfSeq.set(task.seq, null)
    if (lane === null) return false
    if (!this.names.isPlain(lane)) {
      this.touched.add(lane)
      const left = this.left.get(lane)
      if (left) left.add(task.seq)
      else this.left.set(lane, new Set([task.seq]))
    }
    return task.gates !== null && task.gates.length > 0
  }

  discount(task: TaskRecord): void | Promise<void> {
    return this.parts.count(task, -1)
  }

  serve(chosen: Chosen): void {
    this.reader.virtualTime = chosen.virtualTime
    if (this.parts.mode === "free") {
      for (const { type, virtualTime } of chosen.served) this.parts.servedTimes.set(type, virtualTime)
      return
    }
    for (const { type, flow, virtualTime } of chosen.served) this.served.set(this.touch(type, flow, ready), virtualTime)
  }

  /** Whether there is still somebody in it shows only once it is placed: until then it is noted. */
  standAt(lane: number, gate: number): void {
    this.moves.set(lane, gate)
  }

  async refresh(type: string, gate: number, flow: string): Promise<void> {
    this.touch(type, flow, gate)
    await this.place()
  }

  async takeChanged(): Promise<Place[]> {
    await this.place()
    const changed = [...this.changed.values()]
    this.changed.clear()
    return changed
  }

  /** How many stand before the task in its lane, and how many of its priority or above stand there. */
  async rank(task: TaskRecord): Promise<{ before: number; of: number } | null> {
    const lane = this.laneOfSeq.get(task.seq)
    if (lane === null || lane === undefined) return null
    const [before] = await this.parts.sql.rows("countBefore", lane, task.priority, task.readyAtMs, task.seq, countUpTo)
    const [of] = await this.parts.sql.rows("countLane", lane, task.priority, countUpTo)
    return { before: before?.[0] as number, of: of?.[0] as number }
  }

  /** Makes heads and best heads what the tasks say: lanes first, then the flows that they stand in, the ready ones first. */
  async place(): Promise<void> {
    const { sql, ns } = this.parts
    if (this.touched.size === 0 && this.standings.size === 0 && this.moves.size === 0) return
    if (this.touched.size > 0) {
      for (const { type, flow, gate } of await this.placeLanes([...this.touched])) {
        this.touch(type, flow, gate)
        // One that is empty now stands there no more, and is ready.
        if (gate !== ready) this.touch(type, flow, ready)
      }
    }
    await this.move()
    this.placeReady()
    const waiting = [...this.standings.values()].filter(({ gate }) => gate !== ready)
    if (waiting.length > 0) {
      const column = <K extends keyof Standing>(name: K) => waiting.map((one) => one[name])
      sql.tell("placeWaitingFlows", ns, column("type"), column("flow"), column("gate"))
      for (const { type, gate } of waiting) this.changed.set(`${gate} ${type}`, { type, gate })
    }
    this.names.forget()
    this.reader.forget()
    sql.forget()
    this.touched.clear()
    this.left.clear()
    this.entered.clear()
    this.standings.clear()
    this.served.clear()
    this.woken.clear()
  }

  /** Answers with where they stood. What their heads are is told where this step has read it, and looked for by the server where it has not. */
  private async placeLanes(lanes: readonly number[]): Promise<readonly Standing[]> {
    const { sql } = this.parts
    const known = lanes.map((lane) => this.whereabouts.get(lane))
    // Those that are empty from now on stand nowhere: whether they are only the server knows.
    for (const lane of lanes) if (this.whereabouts.get(lane)?.gate !== ready) this.whereabouts.delete(lane)
    const told: { readonly lane: number; readonly head: Head | null }[] = []
    const asked: number[] = []
    for (const [i, lane] of lanes.entries()) {
      const head = known[i] === undefined ? undefined : this.knownHead(lane)
      if (head === undefined) asked.push(lane)
      else told.push({ lane, head })
    }
    if (told.length > 0)
      sql.tell(
        "placeHeads",
        told.map(({ lane }) => lane),
        told.map(({ head }) => head?.priority ?? null),
        told.map(({ head }) => head?.readyAtMs ?? null),
        told.map(({ head }) => head?.seq ?? null),
      )
    if (known.every((standing) => standing !== undefined)) {
      if (asked.length > 0) sql.tell("placeLanes", asked)
      return known as readonly Standing[]
    }
    const isTold = new Set(told.map(({ lane }) => lane))
    const rows = (await sql.rows("placeLanes", asked)) as readonly (readonly [string, string, number])[]
    const stood = rows.map(([type, flow, gate]) => ({ type, flow, gate }))
    return [...(known.filter((_, i) => isTold.has(lanes[i] as number)) as readonly Standing[]), ...stood]
  }

  /** Undefined where it is not known, as of a lane that somebody has come into. */
  private knownHead(lane: number): Head | null | undefined {
    const left = this.left.get(lane)
    return left && !this.entered.has(lane) ? this.reader.headWithout(lane, left) : undefined
  }

  private async move(): Promise<void> {
    const { sql } = this.parts
    if (this.moves.size === 0) return
    const rows = (await sql.rows("readLanesAt", [...this.moves.keys()])) as readonly (readonly [
      number,
      string,
      string,
      number,
      number | null,
    ])[]
    const found = new Set(rows.map(([lane]) => lane))
    // Left where it stands, it would be told to move for ever.
    for (const lane of this.moves.keys())
      if (!found.has(lane)) throw damaged(`lane ${lane}`, "its row of lanes, which an index names", undefined)
    const moved: number[] = []
    for (const [lane, type, flow, before, head] of rows) {
      const gate = this.moves.get(lane) as number
      if (head === null || before === gate) continue
      moved.push(lane)
      this.whereabouts.set(lane, { type, flow, gate })
      this.touch(type, flow, before)
      const key = this.touch(type, flow, gate)
      if (gate === ready) this.woken.add(key)
    }
    if (moved.length > 0)
      sql.tell(
        "moveLanes",
        moved,
        moved.map((lane) => this.moves.get(lane) as number),
      )
    this.moves.clear()
  }

  private placeReady(): void {
    const { sql, ns } = this.parts
    const standing = [...this.standings].filter(([, { gate }]) => gate === ready)
    if (standing.length === 0) return
    const types = standing.map(([, { type }]) => type)
    const flows = standing.map(([, { flow }]) => flow)
    const served = standing.map(([key]) => this.served.get(key) ?? null)
    const present = standing.map(([key]) => (this.woken.has(key) ? 0 : this.reader.virtualTime))
    // A row that is missing is made: else its tasks would stand where no claim looks.
    sql.tell("addFlows", ns, types, flows, this.reader.virtualTime)
    sql.tell("placeFlows", ns, types, flows, served, present)
  }

  private touch(type: string, flow: string, gate: number): string {
    const key = JSON.stringify([gate, type, flow])
    this.standings.set(key, { type, flow, gate })
    return key
  }
}

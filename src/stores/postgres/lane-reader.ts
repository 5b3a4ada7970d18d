// What a claim sees of lanes and flows: rows come in order, read by the hundred and asked for once. In a step that is free there is one flow a
// type, with the plain lane in it.

import { shown } from "../../errors/index.ts"
import { type FlowRow, type Head, type LaneRow, ready } from "../../store/claim.ts"
import { budgets } from "../../store/contract.ts"
import type { WaitedBacklog } from "../../store/waited.ts"
import type { TaskRecord } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import { type HeadLane, Heads, type Place, placeKey, toFlow } from "./heads.ts"
import { type LaneNames, plainName } from "./lane-names.ts"
import { type Mode, Overtaken } from "./mode.ts"
import { laneOf, taskColumns } from "./rows.ts"
import type { Row, Sql } from "./sql.ts"

/**
 * How many lanes that are ready are read at once for so many tasks that are wanted: one more, by the pieces in which a claim asks for them
 * (a Frontier doubles them up to 32), so that it does not come to ask once more.
 */
export function readyLanes(wanted: number): number {
  let lanes = 2
  for (let piece = 4; lanes <= Math.min(wanted, budgets.claimTasks); piece = Math.min(32, piece * 2)) lanes += piece
  return lanes
}

/** How many tasks of each: one more than the first tells whether it is alone. */
export const tasksOfReady = 2
/** How many flows a claim asks for first. */
export const firstFlows = 2
/** How many flows, lanes and tasks are read of those who are first at a gate. */
const headsRead = 2

export interface LaneReaderParts {
  readonly ns: number
  readonly sql: Sql
  readonly mode: Mode
  readonly names: LaneNames
  /** When flows were served last by steps that are free, which nobody else is told. */
  readonly servedTimes: Map<string, number>
  /** Of types that had one flow when they were looked at last: it is likely to be so again. */
  readonly soleFlows: Map<string, string>
  readonly toRecord: (row: Row) => TaskRecord
  /** Told of tasks that may be asked about next. */
  readonly foresee: (tasks: readonly TaskRecord[]) => Promise<void>
  /** Told of lanes that are about to be read. */
  readonly foreseeLanes: (type: string, flow: string, count: number) => Promise<void>
  /** Told of every lane that was read. */
  readonly met: (lane: number, type: string, flow: string, gate: number) => void
}

interface Standing {
  readonly type: string
  readonly gate: number
  readonly flow: string
}

interface Page {
  readonly lanes: readonly LaneRow[]
  readonly isAll: boolean
}

interface Ahead {
  readonly tasks: readonly TaskRecord[]
  readonly isAll: boolean
}

export class LaneReader implements WaitedBacklog {
  /** Those that are ready are read with their next. */
  readonly stride = tasksOfReady - 1
  virtualTime: number
  /** How many tasks the step may claim: no more are kept from others. */
  wanted = 1
  private readonly parts: LaneReaderParts
  /** As the namespace's row has it. */
  private readonly storedTime: number
  private readonly typeOfLane = new Map<number, string>()
  /** The first tasks of lanes, as far as they were read. */
  private readonly ahead = new Map<number, Ahead>()
  /** Lanes in their order, by where they stand, as far as they were read. */
  private readonly standing = new Map<string, Page>()
  /** The first flows at gates, by where they stand, as far as they were read. */
  private readonly waiting = new Map<string, { readonly flows: readonly FlowRow[]; readonly isAll: boolean }>()
  /** Lanes that were read together: their tasks are too. */
  private readonly pageOf = new Map<number, readonly number[]>()
  /** Types of which others have tasks in their hands that they may not claim after all. */
  private readonly contested = new Set<string>()
  /** Who stands behind those of plain lanes that were locked: the first of them, or none. */
  private readonly behind = new Map<number, readonly TaskRecord[]>()
  /** Tasks of plain lanes that were looked at and not locked. */
  private readonly unlocked = new Set<number>()

  constructor(parts: LaneReaderParts, virtualTime: number) {
    this.parts = parts
    this.virtualTime = virtualTime
    this.storedTime = virtualTime
  }

  /** What was read no longer holds. */
  forget(): void {
    this.ahead.clear()
    this.standing.clear()
    this.waiting.clear()
    this.pageOf.clear()
  }

  /** Who is first once these have left, as far as it was read: null is nobody, undefined is not known. */
  headWithout(lane: number, left: ReadonlySet<number>): Head | null | undefined {
    const known = this.ahead.get(lane)
    return known?.tasks.find(({ seq }) => !left.has(seq)) ?? (known?.isAll ? null : undefined)
  }

  isContested(type: string): boolean {
    return this.contested.has(type)
  }

  async flows(type: string, gate: number, skip: number, limit: number): Promise<FlowRow[]> {
    const { sql, ns, mode } = this.parts
    if (mode === "free") return skip > 0 ? [] : this.plainFlow(type)
    const known = this.waiting.get(placeKey(type, gate))
    if (known && (known.isAll || known.flows.length >= skip + limit)) return known.flows.slice(skip, skip + limit)
    const present = this.virtualTime === this.storedTime ? null : this.virtualTime
    const rows =
      gate === ready
        ? await sql.rows("readFlows", ns, type, limit, skip, present)
        : await sql.rows("readWaitingFlows", ns, type, limit, skip, gate)
    if (gate === ready && skip === 0) this.remember(type, rows)
    return rows.map(toFlow)
  }

  /** Who is first at these gates, all at once. */
  async readHeads(places: readonly Place[]): Promise<void> {
    const { sql, ns, toRecord } = this.parts
    const asked = [...new Map(places.map((place) => [placeKey(place.type, place.gate), place])).entries()].filter(
      ([key, { gate }]) => gate !== ready && !this.waiting.has(key),
    )
    if (asked.length === 0) return
    const types = asked.map(([, { type }]) => type)
    const gates = asked.map(([, { gate }]) => gate)
    const rows = await sql.rows("readWaitingHeads", ns, types, gates, headsRead)
    const heads = new Heads(rows, toRecord)
    for (const [key, { type, gate }] of asked) {
      const flows = heads.flowsAt(key)
      this.waiting.set(key, { flows, isAll: flows.length < headsRead })
      if (flows[0]) this.keepLanes(type, gate, flows[0].flow, heads.lanesAt(key))
    }
    await this.parts.foresee(heads.tasks)
  }

  private keepLanes(type: string, gate: number, flow: string, lanes: readonly HeadLane[]): void {
    const page = lanes.map(({ row }) => row.lane)
    this.standing.set(standingKey(type, gate, flow), { lanes: lanes.map(({ row }) => row), isAll: lanes.length < headsRead })
    for (const { row, tasks } of lanes) {
      this.typeOfLane.set(row.lane, type)
      this.pageOf.set(row.lane, page)
      this.parts.met(row.lane, type, flow, gate)
      this.ahead.set(row.lane, { tasks, isAll: tasks.length < headsRead })
    }
  }

  private remember(type: string, [first, second]: readonly Row[]): void {
    const { soleFlows } = this.parts
    if (first && !second) soleFlows.set(type, first[0] as string)
    else if (second) soleFlows.delete(type)
  }

  /** Of a type whose tasks all stand in its plain lane: whoever looks further needs the lock. */
  private async plainFlow(type: string): Promise<FlowRow[]> {
    const { servedTimes } = this.parts
    const [row] = await this.lanes(type, ready, type, 0, 1)
    if (!row) return []
    const virtualTime = Math.max(this.virtualTime, servedTimes.get(type) ?? 0)
    return [{ ...row, flow: type, virtualTime, flowTime: virtualTime }]
  }

  private async plainLane(type: string): Promise<LaneRow[]> {
    const { names } = this.parts
    await names.find([plainName(type)], this.virtualTime)
    const { lane } = names.of(plainName(type))
    this.typeOfLane.set(lane, type)
    const [head] = await this.tasks(lane, 0, 1)
    return head ? [{ lane, priority: head.priority, readyAtMs: head.readyAtMs, seq: head.seq }] : []
  }

  lanes(type: string, gate: number, flow: string, skip: number, limit: number): readonly LaneRow[] | Promise<readonly LaneRow[]> {
    const page = this.standing.get(standingKey(type, gate, flow))
    return page && (page.isAll || page.lanes.length >= skip + limit)
      ? page.lanes.slice(skip, skip + limit)
      : this.readMore({ type, gate, flow }, skip, limit)
  }

  /** A claim asks for ever more of those that are ready: they are read by the hundred. */
  private async readMore({ type, gate, flow }: Standing, skip: number, limit: number): Promise<readonly LaneRow[]> {
    const key = standingKey(type, gate, flow)
    const { lanes } = this.standing.get(key) ?? { lanes: [] }
    const wanted = Math.max(skip + limit - lanes.length, gate === ready ? readyLanes(this.wanted) : 1)
    const isFree = this.parts.mode === "free"
    const more = isFree
      ? await this.plainLane(type)
      : gate === ready
        ? await this.readReady(type, flow, lanes.length, wanted)
        : await this.readLanes(type, gate, flow, lanes.length, wanted)
    const page = { lanes: [...lanes, ...more], isAll: isFree || more.length < wanted }
    this.standing.set(key, page)
    return page.lanes.slice(skip, skip + limit)
  }

  private async readLanes(type: string, gate: number, flow: string, skip: number, limit: number): Promise<LaneRow[]> {
    const { sql, ns, met } = this.parts
    const rows = await sql.rows("readLanes", ns, type, gate, flow, limit, skip)
    const page = rows.map(([lane]) => lane as number)
    return rows.map(([number, priority, readyAtMs, seq]) => {
      const lane = number as number
      this.typeOfLane.set(lane, type)
      this.pageOf.set(lane, page)
      met(lane, type, flow, gate)
      return { lane, priority, readyAtMs, seq } as LaneRow
    })
  }

  /** With their first tasks, and the gates that those pass. */
  private async readReady(type: string, flow: string, skip: number, limit: number): Promise<LaneRow[]> {
    const { sql, ns, names, toRecord, foresee, foreseeLanes, met } = this.parts
    const [rows] = await Promise.all([
      sql.rows("readReadyLanes", ns, type, flow, limit, skip, tasksOfReady),
      skip === 0 ? foreseeLanes(type, flow, limit) : null,
    ])
    const found = new Map<number, LaneRow>()
    const tasksOf = new Map<number, TaskRecord[]>()
    for (const row of rows) {
      const [number, priority, readyAtMs, seq, isPlain] = row.slice(taskColumns)
      const lane = number as number
      const tasks = tasksOf.get(lane) ?? []
      tasksOf.set(lane, tasks)
      if (row[0] !== null) tasks.push(toRecord(row))
      if (isPlain) names.isKnownPlain(lane)
      found.set(lane, { lane, priority, readyAtMs, seq } as LaneRow)
    }
    const page = [...found.keys()].filter((lane) => !names.isPlain(lane))
    for (const lane of found.keys()) {
      this.typeOfLane.set(lane, type)
      this.pageOf.set(lane, page)
      if (names.isPlain(lane)) continue
      met(lane, type, flow, ready)
      const tasks = tasksOf.get(lane) ?? []
      this.ahead.set(lane, { tasks, isAll: tasks.length < tasksOfReady })
    }
    await foresee(page.flatMap((lane) => tasksOf.get(lane) ?? []))
    return [...found.values()]
  }

  /** Whoever stands in a lane is about to be claimed: one that has ended, or runs elsewhere, must not be. */
  tasks(lane: number, skip: number, limit: number): readonly TaskRecord[] | Promise<readonly TaskRecord[]> {
    const known = this.ahead.get(lane)
    return known && (known.isAll || known.tasks.length >= skip + limit)
      ? this.sound(lane, known, skip, limit)
      : this.readTasks(lane, skip, limit)
  }

  private async readTasks(lane: number, skip: number, limit: number): Promise<readonly TaskRecord[]> {
    if (this.parts.names.isPlain(lane) && this.parts.mode !== "looking") await this.readPlain(lane, skip + limit)
    else await this.readPage(lane, skip, limit)
    return this.sound(lane, this.ahead.get(lane) as Ahead, skip, limit)
  }

  private sound(lane: number, known: Ahead, skip: number, limit: number): readonly TaskRecord[] {
    const tasks = known.tasks.slice(skip, skip + limit)
    const type = this.typeOfLane.get(lane)
    for (const task of tasks) {
      if (task.status !== "pending" || task.type !== type)
        throw damaged(
          `task ${shown(task.id)} (row ${task.seq} of tasks)`,
          `lane ${lane} to hold pending tasks of one type`,
          `${task.status} ${task.type}`,
        )
    }
    return tasks
  }

  /**
   * Of a plain lane as many are locked as the step may claim: more would be kept from others for nothing. Who stands behind them is only
   * looked at; should the step come to change one of those, it is locked then.
   */
  private async readPlain(lane: number, count: number): Promise<void> {
    const known = this.ahead.get(lane) ?? (await this.lockPlain(lane))
    this.ahead.set(lane, known)
    if (known.isAll || known.tasks.length >= count) return
    const behind = this.behind.get(lane) ?? []
    const isEnough = behind.length === 0 || count === known.tasks.length + 1
    const more = isEnough ? { tasks: behind, isAll: behind.length === 0 } : await this.readBehind(lane, known.tasks, count)
    for (const { seq } of more.tasks) this.unlocked.add(seq)
    this.ahead.set(lane, { tasks: [...known.tasks, ...more.tasks], isAll: more.isAll })
  }

  /** Those that others have in their hands may stand before ours. */
  private async readBehind(lane: number, known: readonly TaskRecord[], count: number): Promise<Ahead> {
    const { sql, toRecord } = this.parts
    const seqs = new Set(known.map(({ seq }) => seq))
    const all = (await sql.rows("readLaneTasks", [lane], count, 0)).map(toRecord)
    return { tasks: all.filter(({ seq }) => !seqs.has(seq)), isAll: all.length < count }
  }

  private async lockPlain(lane: number): Promise<Ahead> {
    const { sql, toRecord } = this.parts
    const rows = await sql.rows("lockPlainTasks", lane, Math.min(this.wanted, budgets.claimTasks))
    const standing = rows[0]?.[taskColumns + 1] as number | null
    const found = rows.filter(([seq]) => seq !== null)
    const isMine = (row: Row) => row[taskColumns] === true
    const tasks = found.filter(isMine).map(toRecord)
    this.behind.set(lane, found.filter((row) => !isMine(row)).map(toRecord))
    if (standing !== null && standing > tasks.length) this.contested.add(this.typeOfLane.get(lane) ?? "")
    return { tasks, isAll: false }
  }

  /** Before these are changed: those that were only looked at may be somebody else's by now. */
  async confirm(tasks: readonly TaskRecord[]): Promise<void> {
    const seqs = tasks.map(({ seq }) => seq).filter((seq) => this.unlocked.has(seq))
    if (seqs.length === 0) return
    const locked = await this.parts.sql.rows("lockStanding", seqs)
    if (locked.length < seqs.length) throw new Overtaken()
    for (const seq of seqs) this.unlocked.delete(seq)
  }

  /** With those of all lanes that were read with it: they will be asked for too. */
  private async readPage(lane: number, skip: number, limit: number): Promise<void> {
    const { sql, toRecord, foresee } = this.parts
    const isNext = (one: number) => (this.ahead.get(one)?.tasks.length ?? 0) === skip && !this.ahead.get(one)?.isAll
    const lanes = (this.pageOf.get(lane) ?? []).filter((one) => one !== lane && isNext(one))
    const known = this.ahead.get(lane)?.tasks ?? []
    // What was read before is read once; whoever asks from elsewhere is answered from there.
    const from = known.length <= skip ? known.length : skip
    const asked = from === skip ? [lane, ...lanes] : [lane]
    const wanted = Math.max(skip + limit - from, tasksOfReady)
    const byLane = new Map<number, TaskRecord[]>(asked.map((one) => [one, []]))
    const rows = await sql.rows("readLaneTasks", asked, wanted, from)
    const tasks = rows.map(toRecord)
    for (const [i, task] of tasks.entries()) byLane.get(laneOf(rows[i] as Row) as number)?.push(task)
    for (const [one, found] of byLane) {
      const before = this.ahead.get(one)?.tasks ?? []
      this.ahead.set(one, { tasks: [...before.slice(0, from), ...found], isAll: found.length < wanted })
    }
    await foresee(tasks)
  }
}

function standingKey(type: string, gate: number, flow: string): string {
  return JSON.stringify([gate, type, flow])
}

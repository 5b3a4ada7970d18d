// What a claim sees of lanes and flows: rows come in order, read by the hundred and asked for once. In a step that is free there is one flow a
// type, with the plain lane in it.

import { shown } from "../../errors/index.ts"
import { type FlowRow, type LaneRow, ready } from "../../store/claim.ts"
import { budgets } from "../../store/contract.ts"
import type { WaitedBacklog } from "../../store/waited.ts"
import type { TaskRecord } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import { type LaneNames, plainName } from "./lane-names.ts"
import { type Mode, Overtaken } from "./mode.ts"
import { laneOf } from "./rows.ts"
import type { Row, Sql } from "./sql.ts"

/** How many lanes that are ready are read at once. */
const readyLanes = 128

export interface LaneReaderParts {
  readonly ns: number
  readonly sql: Sql
  readonly mode: Mode
  readonly names: LaneNames
  /** When flows were served last by steps that are free, which nobody else is told. */
  readonly servedTimes: Map<string, number>
  readonly toRecord: (row: Row) => TaskRecord
  /** Told of tasks that may be asked about next. */
  readonly foresee: (tasks: readonly TaskRecord[]) => Promise<void>
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
  virtualTime: number
  /** How many tasks the step may claim: no more are kept from others. */
  wanted = 1
  private readonly parts: LaneReaderParts
  private readonly typeOfLane = new Map<number, string>()
  /** The first tasks of lanes, as far as they were read. */
  private readonly ahead = new Map<number, Ahead>()
  /** Lanes in their order, by where they stand, as far as they were read. */
  private readonly standing = new Map<string, Page>()
  /** Lanes that were read together: their tasks are too. */
  private readonly pageOf = new Map<number, readonly number[]>()
  /** Types of which others have tasks in their hands that they may not claim after all. */
  private readonly contested = new Set<string>()
  /** Tasks of plain lanes that were looked at and not locked. */
  private readonly unlocked = new Set<number>()

  constructor(parts: LaneReaderParts, virtualTime: number) {
    this.parts = parts
    this.virtualTime = virtualTime
  }

  /** What was read no longer holds. */
  forget(): void {
    this.ahead.clear()
    this.standing.clear()
    this.pageOf.clear()
  }

  isContested(type: string): boolean {
    return this.contested.has(type)
  }

  async flows(type: string, gate: number, skip: number, limit: number): Promise<FlowRow[]> {
    const { sql, ns, mode } = this.parts
    if (mode === "free") return skip > 0 ? [] : this.plainFlow(type)
    const rows =
      gate === ready
        ? await sql.rows("readFlows", ns, type, limit, skip, this.virtualTime)
        : await sql.rows("readWaitingFlows", ns, type, limit, skip, gate)
    return rows.map(
      ([flow, priority, virtualTime, readyAtMs, seq, flowTime]) => ({ flow, priority, virtualTime, readyAtMs, seq, flowTime }) as FlowRow,
    )
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

  /** A claim asks for ever more of those that are ready: they are read by the hundred. */
  async lanes(type: string, gate: number, flow: string, skip: number, limit: number): Promise<readonly LaneRow[]> {
    const key = JSON.stringify([gate, type, flow])
    let page = this.standing.get(key) ?? { lanes: [], isAll: false }
    if (!page.isAll && page.lanes.length < skip + limit) {
      const wanted = Math.max(skip + limit - page.lanes.length, gate === ready ? readyLanes : 1)
      const isFree = this.parts.mode === "free"
      const more = isFree ? await this.plainLane(type) : await this.readLanes(type, gate, flow, page.lanes.length, wanted)
      page = { lanes: [...page.lanes, ...more], isAll: isFree || more.length < wanted }
      this.standing.set(key, page)
    }
    return page.lanes.slice(skip, skip + limit)
  }

  private async readLanes(type: string, gate: number, flow: string, skip: number, limit: number): Promise<LaneRow[]> {
    const { sql, ns, names } = this.parts
    const rows = await sql.rows("readLanes", ns, type, gate, flow, limit, skip)
    const page: number[] = []
    return rows.map(([number, priority, readyAtMs, seq, isPlain]) => {
      const lane = number as number
      this.typeOfLane.set(lane, type)
      if (isPlain) names.isKnownPlain(lane)
      else page.push(lane)
      this.pageOf.set(lane, page)
      return { lane, priority, readyAtMs, seq } as LaneRow
    })
  }

  /** Whoever stands in a lane is about to be claimed: one that has ended, or runs elsewhere, must not be. */
  async tasks(lane: number, skip: number, limit: number): Promise<readonly TaskRecord[]> {
    let known = this.ahead.get(lane)
    if (!known || (!known.isAll && known.tasks.length < skip + limit)) {
      if (this.parts.names.isPlain(lane) && this.parts.mode !== "looking") await this.readPlain(lane, skip + limit)
      else await this.readPage(lane, skip, limit)
      known = this.ahead.get(lane) as Ahead
    }
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
    const { sql, toRecord } = this.parts
    const known = this.ahead.get(lane) ?? (await this.lockPlain(lane))
    this.ahead.set(lane, known)
    if (known.isAll || known.tasks.length >= count) return
    const ours = new Set(known.tasks.map(({ seq }) => seq))
    const rows = await sql.rows("readLaneTasks", [lane], count, 0)
    const behind = rows.map(toRecord).filter(({ seq }) => !ours.has(seq))
    for (const { seq } of behind) this.unlocked.add(seq)
    this.ahead.set(lane, { tasks: [...known.tasks, ...behind], isAll: rows.length < count })
  }

  private async lockPlain(lane: number): Promise<Ahead> {
    const { sql, toRecord } = this.parts
    const wanted = Math.min(this.wanted, budgets.claimTasks)
    const tasks = (await sql.rows("lockPlainTasks", lane, wanted)).map(toRecord)
    const isAll = tasks.length < wanted
    if (isAll) {
      const [row] = await sql.rows("countStanding", lane, tasks.length + 1)
      if ((row?.[0] as number) > tasks.length) this.contested.add(this.typeOfLane.get(lane) ?? "")
    }
    return { tasks, isAll }
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
    // One more than the first tells whether it is alone.
    const wanted = Math.max(skip + limit - from, 2)
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

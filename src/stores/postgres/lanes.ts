// Lanes and flows in Postgres. Membership is a column of the task; heads are placed anew for the lanes that a step has touched, all at
// once, before the step's claim reads them and when the step ends.

import { shown } from "../../errors/index.ts"
import { type Chosen, compareHeads, type FlowRow, type Head, type LaneRow, ready } from "../../store/claim.ts"
import { budgets } from "../../store/contract.ts"
import type { WaitedBacklog } from "../../store/waited.ts"
import type { TaskRecord } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import { type Mode, NeedsLock, Overtaken } from "./mode.ts"
import { laneOf } from "./rows.ts"
import type { Row, Sql } from "./sql.ts"

/** How far the tasks of a lane are counted. */
const countUpTo = 100_000

/** How many lanes that are ready are read at once. */
const readyLanes = 128

interface KnownLane {
  readonly lane: number
  readonly isPlain: boolean
  /** As it was when the step first met the lane. */
  readonly head: Head | null
}

interface Standing {
  readonly type: string
  readonly flow: string
  readonly gate: number
}

export interface Place {
  readonly type: string
  readonly gate: number
}

/** What lanes need from the records around them. */
export interface LanesParts {
  readonly ns: number
  readonly sql: Sql
  readonly virtualTime: number
  readonly mode: Mode
  /** The plain lanes of types, as far as this process has met them; they stay. */
  readonly plainLanes: Map<string, number>
  /** When flows were served last by steps that are free, which nobody else is told. */
  readonly servedTimes: Map<string, number>
  readonly takeNumbers: (count: number) => Promise<number>
  readonly toRecord: (row: Row) => TaskRecord
  /** Told before tasks come to stand in lanes or leave them, and for each that does. */
  readonly foresee: (tasks: readonly TaskRecord[]) => Promise<void>
  readonly count: (task: TaskRecord, by: 1 | -1) => Promise<void>
}

export class Lanes implements WaitedBacklog {
  virtualTime: number
  private readonly parts: LanesParts
  /** Where tasks that this step has read stand. */
  private readonly laneOfSeq = new Map<number, number | null>()
  private readonly known = new Map<string, KnownLane>()
  private readonly plain = new Set<number>()
  private readonly typeOfLane = new Map<number, string>()
  /** The first tasks of lanes, as far as they were read. */
  private readonly ahead = new Map<number, Ahead>()
  /** Lanes in their order, by where they stand, as far as they were read. */
  private readonly standing = new Map<string, Page>()
  /** Lanes that were read together: their tasks are too. */
  private readonly pageOf = new Map<number, readonly number[]>()
  private readonly touched = new Set<number>()
  /** Where lanes are to stand from now on. */
  private readonly moves = new Map<number, number>()
  private readonly standings = new Map<string, Standing>()
  private readonly served = new Map<string, number>()
  /** Flows that became ready because a gate opened. They were not idle, and keep the virtual time that they waited with. */
  private readonly woken = new Set<string>()
  private readonly changed = new Map<string, Place>()
  /** Types of which others have tasks in their hands that they may not claim after all. */
  private readonly contested = new Set<string>()
  /** Tasks of plain lanes that were looked at and not locked. */
  private readonly unlocked = new Set<number>()
  /** How many tasks the step may claim: no more are kept from others. */
  wanted = 1

  constructor(parts: LanesParts) {
    this.parts = parts
    this.virtualTime = parts.virtualTime
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
    await this.find(names)
    const lanes: number[] = []
    for (const [i, task] of tasks.entries()) {
      const known = this.known.get((names[i] as LaneName).key) as KnownLane
      this.laneOfSeq.set(task.seq, known.lane)
      // Behind a head it changes nothing of where the lane stands. A head that leaves touches the lane by itself.
      if (!known.isPlain && (!known.head || compareHeads(task, known.head) <= 0)) this.touched.add(known.lane)
      await this.parts.count(task, 1)
      lanes.push(known.lane)
    }
    return lanes
  }

  async leave(task: TaskRecord): Promise<void> {
    const lane = this.laneOfSeq.get(task.seq)
    if (lane !== null && lane !== undefined) {
      if (!this.plain.has(lane)) this.touched.add(lane)
      await this.parts.count(task, -1)
    }
    this.laneOfSeq.set(task.seq, null)
  }

  serve(chosen: Chosen): void {
    this.virtualTime = chosen.virtualTime
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

  isContested(type: string): boolean {
    return this.contested.has(type)
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
      const rows = await sql.rows("placeLanes", [...this.touched])
      for (const [type, flow, gate] of rows as readonly (readonly [string, string, number])[]) {
        this.touch(type, flow, gate)
        // One that is empty now stands there no more, and is ready.
        if (gate !== ready) this.touch(type, flow, ready)
      }
    }
    await this.move()
    await this.placeReady()
    const waiting = [...this.standings.values()].filter(({ gate }) => gate !== ready)
    if (waiting.length > 0) {
      const column = <K extends keyof Standing>(name: K) => waiting.map((one) => one[name])
      await sql.run("placeWaitingFlows", ns, column("type"), column("flow"), column("gate"))
      for (const { type, gate } of waiting) this.changed.set(`${gate} ${type}`, { type, gate })
    }
    this.known.clear()
    this.ahead.clear()
    this.standing.clear()
    this.pageOf.clear()
    this.touched.clear()
    this.standings.clear()
    this.served.clear()
    this.woken.clear()
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
      this.touch(type, flow, before)
      const key = this.touch(type, flow, gate)
      if (gate === ready) this.woken.add(key)
    }
    if (moved.length > 0)
      await sql.run(
        "moveLanes",
        moved,
        moved.map((lane) => this.moves.get(lane) as number),
      )
    this.moves.clear()
  }

  private async placeReady(): Promise<void> {
    const { sql, ns } = this.parts
    const standing = [...this.standings].filter(([, { gate }]) => gate === ready)
    if (standing.length === 0) return
    const types = standing.map(([, { type }]) => type)
    const flows = standing.map(([, { flow }]) => flow)
    const served = standing.map(([key]) => this.served.get(key) ?? null)
    const present = standing.map(([key]) => (this.woken.has(key) ? 0 : this.virtualTime))
    const place = () => sql.rows("placeFlows", ns, types, flows, served, present)
    if ((await place()).length === standing.length) return
    // A row that is missing is made: else its tasks would stand where no claim looks.
    await sql.run("addFlows", ns, types, flows, this.virtualTime)
    if ((await place()).length < standing.length) throw damaged(`flows of ${shown(types)}`, "their rows of flows", undefined)
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
    await this.find([plainName(type)])
    const { lane } = this.known.get(plainName(type).key) as KnownLane
    this.typeOfLane.set(lane, type)
    const [head] = await this.tasks(lane, 0, 1)
    return head ? [{ lane, priority: head.priority, readyAtMs: head.readyAtMs, seq: head.seq }] : []
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
    const { sql, ns } = this.parts
    const rows = await sql.rows("readLanes", ns, type, gate, flow, limit, skip)
    const page: number[] = []
    return rows.map(([number, priority, readyAtMs, seq, isPlain]) => {
      const lane = number as number
      this.typeOfLane.set(lane, type)
      if (isPlain) this.plain.add(lane)
      else page.push(lane)
      this.pageOf.set(lane, page)
      return { lane, priority, readyAtMs, seq } as LaneRow
    })
  }

  /** Whoever stands in a lane is about to be claimed: one that has ended, or runs elsewhere, must not be. */
  async tasks(lane: number, skip: number, limit: number): Promise<readonly TaskRecord[]> {
    let known = this.ahead.get(lane)
    if (!known || (!known.isAll && known.tasks.length < skip + limit)) {
      if (this.plain.has(lane) && this.parts.mode !== "looking") await this.readPlain(lane, skip + limit)
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

  private touch(type: string, flow: string, gate: number): string {
    const key = JSON.stringify([gate, type, flow])
    this.standings.set(key, { type, flow, gate })
    return key
  }

  private async find(names: readonly LaneName[]): Promise<void> {
    const { sql, ns, plainLanes } = this.parts
    for (const name of names) {
      const lane = name.isPlain ? plainLanes.get(name.type) : undefined
      if (lane !== undefined) this.know(name, lane, null)
    }
    const wanted = [...new Map(names.filter(({ key }) => !this.known.has(key)).map((name) => [name.key, name])).values()]
    if (wanted.length === 0) return
    const missing = await this.lookFor(wanted)
    for (const { isPlain, type, key } of wanted) {
      const found = this.known.get(key)
      // One that this step makes may be undone with it.
      if (isPlain && found) plainLanes.set(type, found.lane)
    }
    const idle = wanted.filter(({ key, isPlain }) => !isPlain && !this.known.get(key)?.head)
    if (idle.length > 0) await sql.run("addFlows", ns, column(idle, "type"), column(idle, "flow"), this.virtualTime)
    if (missing.length > 0) await this.make(missing)
  }

  /** Answers with those that are not there. */
  private async lookFor(wanted: readonly LaneName[]): Promise<LaneName[]> {
    const { sql, ns } = this.parts
    const missing = new Set(wanted)
    const rows = (await sql.rows("findLanes", ns, ...texts(wanted))) as readonly (readonly number[])[]
    for (const [place, lane, priority, readyAtMs, seq] of rows) {
      const name = wanted[(place as number) - 1] as LaneName
      missing.delete(name)
      this.know(name, lane as number, seq === null ? null : ({ priority, readyAtMs, seq } as Head))
    }
    return [...missing]
  }

  private async make(names: readonly LaneName[]): Promise<void> {
    const { sql, ns, takeNumbers } = this.parts
    const first = await takeNumbers(names.length)
    const lanes = names.map((_, i) => first + i)
    const made = await sql.run("addLanes", ns, lanes, ...texts(names), column(names, "isPlain"))
    for (const [i, name] of names.entries()) this.know(name, lanes[i] as number, null)
    // Somebody without the lock has made one of them meanwhile.
    if (made < names.length) await this.lookFor(names)
  }

  private know(name: LaneName, lane: number, head: Head | null): void {
    this.known.set(name.key, { lane, isPlain: name.isPlain, head })
    if (name.isPlain) this.plain.add(lane)
  }
}

interface Page {
  readonly lanes: readonly LaneRow[]
  readonly isAll: boolean
}

interface Ahead {
  readonly tasks: readonly TaskRecord[]
  readonly isAll: boolean
}

interface LaneName {
  readonly key: string
  readonly type: string
  readonly flow: string
  readonly gates: string
  readonly isPlain: boolean
}

function column<K extends keyof LaneName>(list: readonly LaneName[], name: K): LaneName[K][] {
  return list.map((one) => one[name])
}

function texts(list: readonly LaneName[]): readonly [string[], string[], string[]] {
  return [column(list, "type"), column(list, "flow"), column(list, "gates")]
}

function plainName(type: string): LaneName {
  return { key: JSON.stringify([type, type, "[]"]), type, flow: type, gates: "[]", isPlain: true }
}

/** What a task costs at a gate is its own affair: tasks that pass the same gates share a lane. */
function nameOf({ type, flow, gates }: TaskRecord): LaneName {
  const text = JSON.stringify((gates ?? []).map(({ limit, key }) => [limit, key]))
  return { key: JSON.stringify([type, flow, text]), type, flow, gates: text, isPlain: flow === type && text === "[]" }
}

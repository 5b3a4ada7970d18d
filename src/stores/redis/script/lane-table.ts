// Lanes as they are kept: number → what passes there, where it stands, its head and its priorities. Read when a step first meets a
// lane, written once when it ends.

import { compareHeads, type Head, ready } from "../../../store/claim.ts"
import type { TaskRecord } from "../../../task/index.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import { tonumber } from "./builtins.ts"
import { type Context, damaged } from "./context.ts"
import { Live } from "./live.ts"
import { flowName, laneMember } from "./places.ts"
import { cmsgpack, redis } from "./server.ts"
import type { Entry } from "./stored-task.ts"
import type { Tasks } from "./tasks.ts"
import { WaitingLine } from "./waiting-line.ts"
import type { Writes } from "./writes.ts"

export interface Lane {
  readonly number: number
  /** Type, flow and gates. */
  readonly name: string
  readonly type: string
  readonly flow: string
  gate: number
  /** By which it stands, where it does. */
  head: Head | null
  /** As a member of where it stands, where that is known. */
  member: string | null
  /** Highest priority first; null until somebody asks for them: a lane of one task, as most gates have, mostly goes without. */
  lines: WaitingLine[] | null
  /** As it was read; null where it is new. */
  readonly stored: StoredLane | null
  /** The number of its only task, where nobody has asked for more. */
  only: number | null
  /** The best that has come since it was placed. */
  come: Head | null
  /** Whether somebody has left since it was placed: then its head has to be looked for. */
  hasLost: boolean
  isTouched: boolean
  isChanged: boolean
  /** What was read of its tasks, in order; from which line on it goes. */
  read: Entry[]
  readFrom: number
  isReadAnew: boolean
}

/**
 * Name, type, flow, gate, then the head or false, then for each priority: it, how many have left its list, how many are sorted, and the list
 * where it is short.
 */
export type StoredLane = [string, string, string, number, [number, number, number] | false, ...(number | number[] | false)[]]
/** How many values each priority has there. */
const perLine = 4
const firstLine = 5

export class LaneTable {
  private readonly base: string
  private readonly key: string
  private readonly context: Context
  private readonly tasks: Tasks
  private readonly writes: Writes
  private readonly byNumber: Record<number, Lane | undefined> = {}
  private readonly byName: Record<string, Lane | undefined> = {}
  /** Of lanes that were read ahead, by the number of the task. */
  private readonly names: Record<number, string | undefined> = {}
  private changed: Lane[] = []
  private readonly lastPlace = { type: "", gate: -1, flow: "", key: "" }

  constructor(context: Context, tasks: Tasks, writes: Writes) {
    this.base = context.base
    this.key = `${context.base}lanes`
    this.context = context
    this.tasks = tasks
    this.writes = writes
  }

  /** The lane for a task that is about to wait, made if there is none. */
  laneFor(task: TaskRecord): Lane {
    const name = this.names[task.seq] ?? laneName(task)
    const known = this.byName[name]
    if (known !== undefined) return known
    const found = redis.call("HGET", `${this.base}lane-of`, name) as string | false
    const lane = found === false ? this.make(name, task) : this.lane(tonumber(found))
    this.byName[name] = lane
    return lane
  }

  /** Reads in one go the lanes of tasks that pass gates: those of one flow that pass none share theirs. */
  readAheadFor(tasks: readonly TaskRecord[]): void {
    const isAsked: Record<string, boolean | undefined> = {}
    const names: string[] = []
    const makers: TaskRecord[] = []
    for (const task of tasks) {
      if (task.gates === null || task.gates.length === 0) continue
      const name = laneName(task)
      this.names[task.seq] = name
      if (isAsked[name] || this.byName[name] !== undefined) continue
      isAsked[name] = true
      names.push(name)
      makers.push(task)
    }
    if (names.length < 2) return
    const found = askWith("HMGET", `${this.base}lane-of`, names)
    const numbers: number[] = []
    for (const text of found) if (text !== false) numbers.push(tonumber(text))
    this.readAhead(numbers)
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const text = found[i] as string | false
      this.byName[name] = text === false ? this.make(name, makers[i] as TaskRecord) : this.lane(tonumber(text))
    }
  }

  lane(number: number): Lane {
    const known = this.byNumber[number]
    if (known !== undefined) return known
    return this.know(number, redis.call("HGET", this.key, number) as string | false)
  }

  /** Reads in one go those that will be asked for one by one. */
  readAhead(numbers: readonly number[]): void {
    const missing: number[] = []
    for (const number of numbers) if (this.byNumber[number] === undefined) missing.push(number)
    if (missing.length < 2) return
    const found = askWith("HMGET", this.key, missing)
    for (let i = 0; i < missing.length; i++) {
      const text = found[i] as string | false
      if (text !== false) this.know(missing[i] as number, text)
    }
  }

  private know(number: number, text: string | false): Lane {
    // Left where it stands, it would be told to move for ever.
    if (text === false) throw damaged(`lane ${number} (in ${this.key})`, "its record, which an index names", undefined)
    const stored = cmsgpack.unpack(text) as StoredLane
    const head = stored[4]
    const lane = newLane(number, stored[0], stored[1], stored[2], stored)
    lane.gate = stored[3]
    lane.only = onlyOf(stored)
    if (head !== false) lane.head = { priority: head[0], readyAtMs: head[1], seq: head[2] }
    this.byNumber[number] = lane
    return lane
  }

  linesOf(lane: Lane): WaitingLine[] {
    if (lane.lines) return lane.lines
    const lines: WaitingLine[] = []
    const stored = lane.stored ?? []
    for (let i = firstLine; i + perLine <= stored.length; i += perLine) {
      const inside = stored[i + 3] as number[] | false
      lines.push(this.line(lane.number, stored[i] as number, stored[i + 1] as number, stored[i + 2] as number, inside))
    }
    lane.lines = lines
    lane.only = null
    return lines
  }

  /** The line of this priority, made if there is none. */
  lineOf(lane: Lane, priority: number): WaitingLine {
    const lines = this.linesOf(lane)
    let place = 0
    for (const line of lines) {
      if (line.priority === priority) return line
      if (line.priority > priority) place++
    }
    const made = this.line(lane.number, priority, 0, 0, [])
    if (place === lines.length) lines.push(made)
    else lines.splice(place, 0, made)
    this.change(lane)
    return made
  }

  /** Its head is this one from now on: it moves where it stands. */
  setHead(lane: Lane, head: Head | null): void {
    const before = lane.head
    lane.come = null
    lane.hasLost = false
    if (before && head && compareHeads(before, head) === 0) return
    const place = this.placeKey(lane.type, lane.gate, lane.flow)
    if (before) this.writes.removeSorted(place, lane.member ?? laneMember(before, lane.number))
    lane.member = head && laneMember(head, lane.number)
    if (lane.member !== null) this.writes.addSorted(place, 0, lane.member)
    lane.head = head
    this.change(lane)
    const idle = `${this.base}lanes-idle`
    if (head && !before) this.writes.removeFromSet(idle, lane.number)
    if (!head) this.writes.addToSet(idle, lane.number)
  }

  move(lane: Lane, gate: number): void {
    const { head, number } = lane
    if (head) {
      const member = lane.member ?? laneMember(head, number)
      this.writes.removeSorted(this.placeKey(lane.type, lane.gate, lane.flow), member)
      this.writes.addSorted(this.placeKey(lane.type, gate, lane.flow), 0, member)
    }
    lane.gate = gate
    this.change(lane)
  }

  /** Members of the lanes that stand there, best first. */
  standing(type: string, gate: number, flow: string, skip: number, limit: number): string[] {
    const key = this.placeKey(type, gate, flow)
    this.writes.settle(key)
    return redis.call("ZRANGE", key, skip, skip + limit - 1) as string[]
  }

  change(lane: Lane): void {
    if (lane.isChanged) return
    lane.isChanged = true
    this.changed.push(lane)
  }

  /** Drops lanes without tasks; answers how many. */
  forget(limit: number): number {
    const idle = `${this.base}lanes-idle`
    this.writes.settle(idle)
    const numbers = redis.call("SRANDMEMBER", idle, limit) as string[]
    for (const text of numbers) {
      const lane = this.lane(tonumber(text))
      this.writes.removeField(this.key, lane.number)
      this.writes.removeField(`${this.base}lane-of`, lane.name)
      this.writes.removeFromSet(idle, lane.number)
      lane.isChanged = false
      this.byNumber[lane.number] = undefined
      this.byName[lane.name] = undefined
    }
    return numbers.length
  }

  end(): void {
    const written: Values = []
    for (const lane of this.changed) {
      // It was forgotten after it was changed.
      if (!lane.isChanged) continue
      lane.isChanged = false
      const { head } = lane
      const standing = head !== null && [head.priority, head.readyAtMs, head.seq]
      const stored: unknown[] = [lane.name, lane.type, lane.flow, lane.gate, standing]
      let at = firstLine
      for (const line of this.linesOf(lane)) {
        stored[at] = line.priority
        stored[at + 1] = line.gone
        stored[at + 2] = line.sortedCount
        stored[at + 3] = line.inside()
        at += perLine
      }
      written.push(lane.number, cmsgpack.pack(stored))
    }
    this.changed = []
    callWith("HSET", this.key, written)
  }

  private make(name: string, { type, flow }: TaskRecord): Lane {
    const lane = newLane(this.context.meta.take("lanes", 1), name, type, flow, null)
    this.writes.setField(`${this.base}lane-of`, name, lane.number)
    this.byNumber[lane.number] = lane
    this.change(lane)
    return lane
  }

  private line(lane: number, priority: number, gone: number, sortedCount: number, inside: number[] | false): WaitingLine {
    return new WaitingLine(this.base, lane, priority, gone, sortedCount, inside, this.tasks, this.writes)
  }

  /** Lanes of one flow come one after the other. */
  private placeKey(type: string, gate: number, flow: string): string {
    const last = this.lastPlace
    if (last.type === type && last.gate === gate && last.flow === flow) return last.key
    last.type = type
    last.gate = gate
    last.flow = flow
    last.key = `${this.base}lanes:${gate}:${flowName(type, flow)}`
    return last.key
  }
}

function newLane(number: number, name: string, type: string, flow: string, stored: StoredLane | null): Lane {
  return {
    number,
    name,
    type,
    flow,
    gate: ready,
    head: null,
    member: null,
    lines: null,
    stored,
    only: null,
    come: null,
    hasLost: false,
    isTouched: false,
    isChanged: false,
    read: [],
    readFrom: 0,
    isReadAnew: false,
  }
}

/** The number of the only task that it has. */
function onlyOf(stored: StoredLane): number | null {
  if (stored.length !== firstLine + perLine || stored[firstLine + 2] !== 0) return null
  const inside = stored[firstLine + 3] as number[] | false
  return inside !== false && inside.length === 1 ? (inside[0] as number) : null
}

/** What a task costs at a gate is its own affair: tasks that pass the same gates share a lane. */
function laneName({ type, flow, gates }: TaskRecord): string {
  if (gates === null || gates.length === 0) return flowName(type, flow)
  const parts: string[] = [type, flow]
  for (const { limit, key } of gates) parts.push(limit, key)
  return cmsgpack.pack(parts)
}

/** The head that the task is. */
export function headOf({ live }: Entry): Head {
  return {
    priority: live[Live.priority] as number,
    readyAtMs: (live[Live.createdAtMs] as number) + (live[Live.readyAtMs] as number),
    seq: live[Live.seq] as number,
  }
}

// A ready lane whose tasks are of one priority and all came in order, read from its bytes. Its list is part of its record while it is short,
// and has a key of its own else.

import { ready } from "../../../../store/claim.ts"
import { tonumber } from "../builtins.ts"
import { paddedDigits } from "../lua.ts"
import { laneMember } from "../places.ts"
import { redis } from "../server.ts"
import {
  arrayAt,
  arrayHead,
  byte,
  char,
  falses,
  len,
  pack,
  packTime,
  packWhole,
  sub,
  unpackList,
  unpackOne,
  unpackSix,
  unpackTwo,
} from "./bytes.ts"

export interface ShortLane {
  readonly number: string
  readonly priority: number
  /** Its record, how far what never changes goes there, where its list begins, and how many that has; -1: the list has a key. */
  readonly text: string
  readonly fixedTo: number
  readonly listFrom: number
  readonly count: number
  /** What a task that stands here for the first time has behind its times. */
  readonly mark: string
  /** As it stands. */
  readonly member: string
  /** Where its tasks stand among those that were read, and how many of them were; whether those are all. */
  from: number
  read: number
  isRead: boolean
  taken: number
  /** Of its head. */
  readyAtMs: number
  seq: number
}

/** The tasks that were read, of all lanes: numbers first, ids and records when all numbers are known. */
export interface Waiters {
  readonly seqs: number[]
  ids: string[]
  values: string[]
}

/** How a record begins: of a lane that has one priority, and of one that has nobody. */
const oneLine = arrayHead(9)
const noLine = arrayHead(5)
const headMark = arrayHead(3)
const none = falses(1)
const noneGone = pack(0) + pack(0)
const firstVersion = char(1)
const inOrder = char(1)

/** What the lanes of one flow have behind their name while they are ready: type, flow and gate. */
export function readyMark(type: string, flow: string): string {
  return pack(type) + pack(flow) + pack(ready)
}

/** Null where it is no such lane. Adds the numbers of its first tasks. */
export function readLane(
  base: string,
  waiters: Waiters,
  mark: string,
  member: string,
  text: string | false,
  wanted: number,
): ShortLane | null {
  if (text === false || sub(text, 1, 1) !== oneLine) return null
  const [named] = unpackOne(text, 1, 1)
  const head = named + len(mark)
  if (sub(text, named + 1, head + 1) !== mark + headMark) return null
  const [list, priority, readyAtMs, seq, line, gone, sorted] = unpackSix(text, 6, head + 1)
  if (line !== priority || gone !== 0 || sorted !== 0) return null
  const number = sub(member, 38)
  // One that stood elsewhere would be handed out twice.
  if (placeOf(priority as number, readyAtMs as number, seq as number, number) !== member) return null
  let [count, bytes] = [-1, 1]
  if (byte(text, list + 1) !== 0xc2) [count, bytes] = arrayAt(text, list + 1)
  if (count === 0 || (count < 0 && bytes === 0)) return null
  const lane: ShortLane = {
    number,
    priority: priority as number,
    text,
    fixedTo: head,
    listFrom: list + bytes,
    count,
    mark: firstVersion + packWhole(priority as number) + inOrder + packWhole(tonumber(number)),
    member,
    from: waiters.seqs.length,
    read: 0,
    isRead: false,
    taken: 0,
    readyAtMs: readyAtMs as number,
    seq: seq as number,
  }
  readSeqs(base, waiters.seqs, lane, wanted)
  return waiters.seqs[lane.from] === seq ? lane : null
}

/** Adds so many more of the numbers in its list, behind those that were read already. */
export function readSeqs(base: string, seqs: number[], lane: ShortLane, wanted: number): void {
  const { read, count } = lane
  let at = seqs.length
  if (count >= 0) {
    const to = Math.min(count, read + wanted)
    if (to === 2 && read === 0) {
      const [, first, second] = unpackTwo(lane.text, 2, lane.listFrom)
      seqs[at] = first as number
      seqs[at + 1] = second as number
    } else {
      const all = unpackList(lane.text, to, lane.listFrom) as number[]
      for (let i = read; i < to; i++) {
        seqs[at] = all[i] as number
        at++
      }
    }
    lane.read = to
    lane.isRead = to === count
    return
  }
  const found = redis.call("LRANGE", listKey(base, lane), read, read + wanted - 1) as string[]
  for (let i = 0; i < found.length; i++) seqs[at + i] = tonumber(found[i])
  lane.read = read + found.length
  lane.isRead = found.length < wanted
}

export function listKey(base: string, { number, priority }: ShortLane): string {
  return `${base}fifo:${number}:${priority}`
}

/** As it stands with its head. */
export function memberOf(lane: ShortLane): string {
  return lane.taken === 0 ? lane.member : placeOf(lane.priority, lane.readyAtMs, lane.seq, lane.number)
}

/** What is before the head's sequence number is alike for tasks that came together. */
let opening = ""
let openingPriority = -1
let openingReadyAtMs = -1
/** Of a lane with the number 0. */
const openingBytes = 21

/** As `laneMember` has it. */
function placeOf(priority: number, readyAtMs: number, seq: number, lane: string): string {
  if (readyAtMs !== openingReadyAtMs || priority !== openingPriority) {
    opening = sub(laneMember({ priority, readyAtMs, seq }, 0), 1, openingBytes)
    openingPriority = priority
    openingReadyAtMs = readyAtMs
  }
  return opening + paddedDigits(seq) + lane
}

export function isBefore(a: ShortLane, b: ShortLane): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.readyAtMs === b.readyAtMs ? a.seq < b.seq : a.readyAtMs < b.readyAtMs
}

/** Whether all of its tasks have been taken. */
export function isEmpty({ isRead, taken, read }: ShortLane): boolean {
  return isRead && taken >= read
}

/** Its record without those that were taken. */
export function laneText(lane: ShortLane): string {
  const { text, priority, count, taken } = lane
  const fixed = sub(text, 2, lane.fixedTo)
  if (isEmpty(lane)) return noLine + fixed + none
  const packed = packWhole(priority)
  const head = headMark + packed + packTime(lane.readyAtMs) + packWhole(lane.seq) + packed + noneGone
  if (count < 0) return oneLine + fixed + head + none
  const [from] = unpackOne(text, taken, lane.listFrom)
  return oneLine + fixed + head + arrayHead(count - taken) + sub(text, from + 1)
}

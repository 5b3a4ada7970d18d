// A ready lane whose tasks are of one priority and all came in order, read from its bytes. Its list is part of its record while it is short,
// and has a key of its own else.

import { ready } from "../../../../store/claim.ts"
import { tonumber } from "../builtins.ts"
import { laneAt, laneMember } from "../places.ts"
import { redis } from "../server.ts"
import { arrayAt, arrayHead, byte, char, falses, pack, sub, unpackFour, unpackList, unpackOne, unpackSix } from "./bytes.ts"

export interface ShortLane {
  readonly number: number
  readonly type: string
  readonly flow: string
  readonly priority: number
  /** Its record, how far what never changes goes there, where its list begins, and how many that has; -1: the list has a key. */
  readonly text: string
  readonly fixedTo: number
  readonly listFrom: number
  readonly count: number
  /** What a task that stands here for the first time has behind its times, and what it has once it was claimed. */
  readonly mark: string
  readonly claimedMark: string
  /** As it stands. */
  readonly member: string
  /** Its first tasks, as far as they were read, and whether those are all. */
  readonly seqs: number[]
  readonly ids: string[]
  readonly values: string[]
  isRead: boolean
  taken: number
  /** Of its head. */
  readyAtMs: number
  seq: number
}

/** How a record begins: of a lane that has one priority, and of one that has nobody. */
const oneLine = arrayHead(9)
const noLine = arrayHead(5)
const headMark = arrayHead(3)
const none = falses(1)
const noneGone = pack(0) + pack(0)
const firstVersion = char(1)
const secondVersion = char(2)
const inOrder = char(1)
const nowhere = char(0) + none

/** Null where it is no such lane. */
export function readLane(base: string, type: string, flow: string, member: string, text: string | false, wanted: number): ShortLane | null {
  if (text === false || sub(text, 1, 1) !== oneLine) return null
  const number = laneAt(member)
  const [head, , itsType, itsFlow, gate] = unpackFour(text, 4, 1)
  if (itsType !== type || itsFlow !== flow || gate !== ready || sub(text, head + 1, head + 1) !== headMark) return null
  const [list, priority, readyAtMs, seq, line, gone, sorted] = unpackSix(text, 6, head + 1)
  if (line !== priority || gone !== 0 || sorted !== 0) return null
  // One that stood elsewhere would be handed out twice.
  if (tonumber(sub(member, 6, 21)) !== readyAtMs || tonumber(sub(member, 22, 37)) !== seq) return null
  let [inside, bytes] = [-1, 1]
  if (byte(text, list + 1) !== 0xc2) [inside, bytes] = arrayAt(text, list + 1)
  if (inside === 0 || (inside < 0 && bytes === 0)) return null
  const packedPriority = pack(priority)
  const lane: ShortLane = {
    number,
    type,
    flow,
    priority: priority as number,
    text,
    fixedTo: head,
    listFrom: list + bytes,
    count: inside,
    mark: firstVersion + packedPriority + inOrder + pack(number),
    claimedMark: secondVersion + packedPriority + nowhere,
    member,
    seqs: [],
    ids: [],
    values: [],
    isRead: false,
    taken: 0,
    readyAtMs: readyAtMs as number,
    seq: seq as number,
  }
  readSeqs(base, lane, wanted)
  return lane.seqs[0] === seq ? lane : null
}

/** So many more of the numbers in its list. */
export function readSeqs(base: string, lane: ShortLane, wanted: number): void {
  const { seqs, count } = lane
  const from = seqs.length
  if (count >= 0) {
    const to = Math.min(count, from + wanted)
    const all = unpackList(lane.text, to, lane.listFrom) as number[]
    for (let i = from; i < to; i++) seqs[i] = all[i] as number
    lane.isRead = to === count
    return
  }
  const found = redis.call("LRANGE", listKey(base, lane), from, from + wanted - 1) as string[]
  for (let i = 0; i < found.length; i++) seqs[from + i] = tonumber(found[i])
  lane.isRead = found.length < wanted
}

export function listKey(base: string, { number, priority }: ShortLane): string {
  return `${base}fifo:${number}:${priority}`
}

/** As it stands with its head. */
export function memberOf(lane: ShortLane): string {
  return lane.taken === 0 ? lane.member : laneMember(lane, lane.number)
}

export function isBefore(a: ShortLane, b: ShortLane): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.readyAtMs === b.readyAtMs ? a.seq < b.seq : a.readyAtMs < b.readyAtMs
}

/** Whether all of its tasks have been taken. */
export function isEmpty({ isRead, taken, seqs }: ShortLane): boolean {
  return isRead && taken >= seqs.length
}

/** Its record without those that were taken. */
export function laneText(lane: ShortLane): string {
  const { text, priority, count, taken } = lane
  const fixed = sub(text, 2, lane.fixedTo)
  if (isEmpty(lane)) return noLine + fixed + none
  const packed = pack(priority)
  const head = headMark + packed + pack(lane.readyAtMs) + pack(lane.seq) + packed + noneGone
  if (count < 0) return oneLine + fixed + head + none
  const [from] = unpackOne(text, taken, lane.listFrom)
  return oneLine + fixed + head + arrayHead(count - taken) + sub(text, from + 1)
}

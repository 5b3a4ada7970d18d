// Lanes that tasks come to wait in, behind all who wait there. Read from their bytes, and written with the new ones at their end.

import { tonumber } from "../builtins.ts"
import { laneMember } from "../places.ts"
import { redis } from "../server.ts"
import { mostInside } from "../waiting-line.ts"
import { arrayAt, arrayHead, byte, falses, pack, sub, unpackFour, unpackList, unpackSix } from "./bytes.ts"

export interface Arrival {
  /** By which the lane is found. */
  readonly name: string
  readonly type: string
  readonly flow: string
  readonly priority: number
  number: number
  /** Type, flow and gate, packed with the name before them. */
  fixed: string
  /** Packed: its head, the priority, how many have left and how many are sorted; "" where it has nobody yet. */
  head: string
  /** The list that is part of the record: its bytes and how many there are; -1: it has a key. */
  list: string
  count: number
  isNew: boolean
  /** Between the sequence number of a task and what is its own: the same for all that come now. */
  middle: string
  readonly seqs: number[]
}

const oneLine = arrayHead(9)
const noLine = arrayHead(5)
const headMark = arrayHead(3)
const none = falses(1)
const noneGone = pack(0) + pack(0)
const ready = pack(0)

export function newArrival(name: string, type: string, flow: string, priority: number): Arrival {
  const empty = { number: 0, fixed: "", head: "", list: "", count: 0, isNew: false, middle: "" }
  return { name, type, flow, priority, ...empty, seqs: [] }
}

/** Finds out which lanes there are, and gives numbers to those that are not, by `take`. False where one is not for the short way. */
export function readArrivals(base: string, nowMs: number, arrivals: readonly Arrival[], take: (this: void) => number): boolean {
  const names: string[] = []
  for (let i = 0; i < arrivals.length; i++) names[i] = (arrivals[i] as Arrival).name
  const known = redis.call("HMGET", `${base}lane-of`, ...names) as (string | false)[]
  const numbers: string[] = []
  for (let i = 0; i < known.length; i++) if (known[i] !== false) numbers.push(known[i] as string)
  const texts = numbers.length > 0 ? (redis.call("HMGET", `${base}lanes`, ...numbers) as (string | false)[]) : []
  let at = 0
  for (let i = 0; i < arrivals.length; i++) {
    const arrival = arrivals[i] as Arrival
    const number = known[i] as string | false
    if (number === false) {
      const { name, type, flow } = arrival
      arrival.isNew = true
      arrival.number = take()
      arrival.fixed = pack(name) + pack(type) + pack(flow) + ready
    } else {
      arrival.number = tonumber(number)
      const text = texts[at] as string | false
      at++
      if (text === false || !readArrival(arrival, text, nowMs)) return false
    }
  }
  return true
}

/** Whether its tasks can come at the end of it. */
function readArrival(arrival: Arrival, text: string, nowMs: number): boolean {
  const size = sub(text, 1, 1)
  const [head, name, type, flow, gate] = unpackFour(text, 4, 1)
  if (name !== arrival.name || type !== arrival.type || flow !== arrival.flow) return false
  arrival.fixed = sub(text, 2, head)
  // An empty one waits for nothing.
  if (size === noLine) return gate === 0 && sub(text, head + 1, head + 1) === none
  if (size !== oneLine || sub(text, head + 1, head + 1) !== headMark) return false
  const [list, priority, readyAtMs, , line, , sorted] = unpackSix(text, 6, head + 1)
  if (priority !== arrival.priority || line !== priority || !((readyAtMs as number) <= nowMs) || sorted === undefined) return false
  arrival.head = sub(text, head + 1, list)
  if (byte(text, list + 1) === 0xc2) {
    arrival.count = -1
    return true
  }
  const [count, bytes] = arrayAt(text, list + 1)
  arrival.count = count
  arrival.list = sub(text, list + bytes + 1)
  return count >= 0
}

/** As it stands with the first that came, where nobody was there before. */
export function newMember(arrival: Arrival, nowMs: number): string {
  return laneMember({ priority: arrival.priority, readyAtMs: nowMs, seq: arrival.seqs[0] as number }, arrival.number)
}

/** Its record with those that came; pushes to the list that has a key what belongs there. */
export function writeArrival(base: string, arrival: Arrival, nowMs: number): string {
  const { seqs, count, priority } = arrival
  const packed = pack(priority)
  const head = arrival.head === "" ? headMark + packed + pack(nowMs) + pack(seqs[0]) + packed + noneGone : arrival.head
  const opening = oneLine + arrival.fixed + head
  if (count >= 0 && count + seqs.length <= mostInside) {
    let list = arrival.list
    for (let i = 0; i < seqs.length; i++) list += pack(seqs[i])
    return opening + arrayHead(count + seqs.length) + list
  }
  const key = `${base}fifo:${arrival.number}:${priority}`
  if (count > 0) redis.call("RPUSH", key, ...(unpackList(arrival.list, count, 0) as number[]))
  redis.call("RPUSH", key, ...seqs)
  return opening + none
}

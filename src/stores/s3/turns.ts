// At which number this process writes next, where several write. Alone it takes the next. In a crowd it takes the number that its place in
// the row gives it, while others write theirs; a newcomer takes one behind those. A number whose writer stays silent is filled by others.

import type { World } from "../../world/index.ts"
import { Crowd } from "./crowd.ts"
import type { RecordHead } from "./record.ts"

/** So many numbers are written at the same time at most: nobody's record waits long for those before it. */
const mostBeside = 4
/** Others have written within this: one is not alone. */
const crowdedForMs = 1_000
/** Who writes again within so many round trips is taken to go on. */
const busyTrips = 4
const busyMs = 100
/** So many round trips without a record, and the writer of the next one has nothing to say, or is gone. */
const silentTrips = 3
const leastSilenceMs = 100
/** Who stands far back reads along at least this often: one request that took long says nothing of the next ones, and who sleeps past its turn is passed over. */
const longestReadPauseMs = 200

export type Advice =
  | { readonly kind: "write"; readonly head: Pick<RecordHead, "number" | "again" | "over" | "without"> }
  /** With nothing in it: what stands behind that number waits for it. */
  | { readonly kind: "fill"; readonly head: Pick<RecordHead, "number" | "without"> }
  | { readonly kind: "read"; readonly upTo: number; readonly pauseMs: number }

export interface Standing {
  /** The last record applied. */
  readonly end: number
  /** Where this process has written, or may have, and what is not applied yet. */
  readonly writtenAt: number | null
  /** How long a request takes. */
  readonly tripMs: number
  /** What is charged to a gate is to start soon: such a record waits before it is stamped, and not behind numbers that are empty. */
  readonly hasLimits: boolean
}

export class Turns {
  private readonly world: Pick<World, "monotonicMs" | "random">
  private readonly writer: string
  private readonly crowd = new Crowd()
  private hasBegun = false
  private hasLeft = false
  private crowdedAtMs = Number.NEGATIVE_INFINITY
  private heardAtMs = Number.NEGATIVE_INFINITY
  private endSeenAtMs = Number.NEGATIVE_INFINITY
  private wroteAtMs = Number.NEGATIVE_INFINITY
  /** How often somebody else was first, in a row. */
  private losses = 0
  /** It had nothing to say when its number came: for a while it does not say again that it goes on. */
  private leftAtMs = Number.NEGATIVE_INFINITY

  constructor(world: Pick<World, "monotonicMs" | "random">, writer: string) {
    this.world = world
    this.writer = writer
  }

  /** The others keep a number for it: it has said that it goes on. */
  get isExpected(): boolean {
    return !this.hasLeft && this.crowd.placeOf(this.writer) !== -1
  }

  /** A record was applied. */
  heard(head: Pick<RecordHead, "writer" | "again" | "over" | "without">): void {
    // What was written before this process had something to say tells nothing about now.
    if (!this.hasBegun) return
    this.heardAtMs = this.world.monotonicMs()
    if (head.writer !== this.writer) this.crowdedAtMs = this.heardAtMs
    else this.losses = 0
    this.crowd.heard(head)
  }

  /** A look that began then has found nothing new. */
  sawEnd(atMs: number): void {
    this.endSeenAtMs = atMs
  }

  /** Somebody else was first. */
  lost(): void {
    this.losses++
    this.crowdedAtMs = this.world.monotonicMs()
  }

  next({ end, writtenAt, tripMs, hasLimits }: Standing): Advice {
    const mostAhead = hasLimits ? 1 : mostBeside
    const nowMs = this.world.monotonicMs()
    this.hasBegun = true
    const pauseMs = 1 + (tripMs / 2) * (1 + this.world.random())
    if (nowMs - Math.max(this.crowdedAtMs, this.heardAtMs) > crowdedForMs) this.crowd.clear()
    const place = this.crowd.placeOf(this.writer)
    const expected = this.crowd.at(0)
    // One after the other, so that they do not fill it together.
    const patienceMs = Math.max(leastSilenceMs, silentTrips * tripMs) + tripMs * Math.max(0, place)
    const isSilent = this.endSeenAtMs - this.heardAtMs > patienceMs
    const number = end + 1
    if (writtenAt !== null && writtenAt > number) {
      if (!isSilent) return { kind: "read", upTo: writtenAt, pauseMs }
      return { kind: "fill", head: { number, ...(expected === undefined ? {} : { without: expected }) } }
    }
    const again = this.goesOn(nowMs, tripMs) ? ({ again: true } as const) : {}
    if (writtenAt === number || place === 0) return { kind: "write", head: { number, ...again } }
    // Whoever has just won is always first at the next number, and does not know of the others: they meet it further on.
    if (expected === undefined) return { kind: "write", head: { number: number + Math.min(this.losses, mostAhead - 1), ...again } }
    if (place >= mostAhead) {
      if (isSilent) return { kind: "fill", head: { number, without: expected } }
      // So many write at once before its number comes, one after the other: it reads them together.
      const laterMs = Math.min(longestReadPauseMs, pauseMs * Math.floor(place / mostAhead))
      return { kind: "read", upTo: number, pauseMs: Math.max(pauseMs, laterMs) }
    }
    if (place > 0) return { kind: "write", head: { number: number + place, ...again } }
    if (isSilent) return { kind: "write", head: { number, without: expected, ...again } }
    // It has not followed the log lately: what it knows of the row is old.
    if (nowMs - this.heardAtMs > patienceMs) return { kind: "read", upTo: number, pauseMs: 0 }
    const ahead = Math.min(this.crowd.size, mostAhead - 1)
    const over = this.crowd.at(ahead)
    return { kind: "write", head: { number: number + ahead, ...again, ...(over === undefined ? {} : { over }) } }
  }

  /** This process sends a record. */
  wrote(): void {
    this.wroteAtMs = this.world.monotonicMs()
    this.hasLeft = false
  }

  /** It has nothing more to say. */
  leave(): void {
    this.hasLeft = true
    this.leftAtMs = this.world.monotonicMs()
  }

  private goesOn(nowMs: number, tripMs: number): boolean {
    const isCrowded = nowMs - this.crowdedAtMs <= crowdedForMs && nowMs - this.leftAtMs > crowdedForMs
    return isCrowded && nowMs - this.wroteAtMs <= Math.max(busyMs, busyTrips * tripMs)
  }
}

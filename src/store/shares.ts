// Who may use which part of a limit while the store is away. Each answer tells a process an interval that overlaps with none that
// another process may believe in: not even where an answer was lost, because what a process says that it has is kept apart as well.
// A process that was not seen for a while may be using its share: so much less is admitted until it is back, or its time is over.

import { evenShare, freePiece, type Interval, isNoShare, merged, noShare, partOf } from "../limits/index.ts"
import type { ShareSaid } from "./calls-contract.ts"
import type { InForce } from "./policies.ts"

export interface OwnerShare {
  readonly ownerId: string
  readonly seenAtMs: number
  readonly leaseMs: number
  readonly fallbackMs: number
  /** What the latest answer told, which may not have arrived; and what the process said that it had. */
  readonly told: Interval
  readonly said: Interval
  /** It could not reach the store when it said so: it may still not have the answer. */
  readonly isUsing: boolean
  /** What it used while it was away, for as long as rates remember that. */
  readonly used: (Interval & { readonly untilMs: number }) | null
}

/** Processes renew every third of their lease: one that is not seen for two thirds may have lost the store. */
function isSeen({ seenAtMs, leaseMs }: OwnerShare, nowMs: number): boolean {
  return nowMs - seenAtMs < (leaseMs * 2) / 3
}

function mayUse({ seenAtMs, fallbackMs }: OwnerShare, nowMs: number): boolean {
  return nowMs < seenAtMs + fallbackMs
}

function isOver(share: OwnerShare, nowMs: number): boolean {
  return !mayUse(share, nowMs) && (share.used === null || share.used.untilMs <= nowMs)
}

export interface Saying extends Omit<ShareSaid, "limit"> {
  readonly ownerId: string
  readonly leaseMs: number
  /** How long the limit's rates remember what has passed. */
  readonly memoryMs: number
}

/** The shares after a process has said what it has; those whose time is over are gone. */
export function tellShare(shares: readonly OwnerShare[], saying: Saying, nowMs: number): readonly OwnerShare[] {
  const { ownerId, leaseMs, isLeaving, isUsing, memoryMs } = saying
  const before = shares.find((one) => one.ownerId === ownerId)
  const others = shares.filter((one) => one.ownerId !== ownerId && !isOver(one, nowMs))
  const said = isLeaving ? noShare : { from: saying.from, to: saying.to }
  const fallbackMs = isLeaving ? 0 : saying.fallbackMs
  const used = usedBy(before, saying, nowMs, memoryMs)
  const own: OwnerShare = { ownerId, seenAtMs: nowMs, leaseMs, fallbackMs, told: noShare, said, isUsing: isUsing && !isLeaving, used }
  if (isLeaving) return used ? [...others, own] : others
  const lately = [...others.filter((one) => isSeen(one, nowMs) && one.fallbackMs > 0).map((one) => one.ownerId), ownerId].sort()
  const ideal = evenShare(lately.indexOf(ownerId), lately.length)
  const told = freePiece(
    ideal,
    others.flatMap((one) => (mayUse(one, nowMs) ? [one.told, one.said] : [])),
  )
  return [...others, { ...own, told }]
}

/** It has used its share until now if it says so, or said so the last time. */
function usedBy(before: OwnerShare | undefined, saying: Saying, nowMs: number, memoryMs: number): OwnerShare["used"] {
  const { from, to } = before?.isUsing ? before.said : saying
  if ((before?.isUsing || saying.isUsing) && memoryMs > 0 && to > from) return { from, to, untilMs: nowMs + memoryMs }
  return before?.used && before.used.untilMs > nowMs ? before.used : null
}

/** Whether so much less is admitted for its sake. */
export function isAway(share: OwnerShare, nowMs: number): boolean {
  return mayUse(share, nowMs) && (share.isUsing || !isSeen(share, nowMs))
}

/** What holds at a gate while some processes may be using their shares. */
export function withoutShares(force: InForce, shares: readonly OwnerShare[], nowMs: number): InForce {
  const away = shares.filter((one) => isAway(one, nowMs) && !(isNoShare(one.told) && isNoShare(one.said)))
  const remembered = shares.flatMap(({ used }) => (used && used.untilMs > nowMs ? [used] : []))
  if (away.length === 0 && remembered.length === 0) return force
  const inUse = away.flatMap(({ told, said }) => [told, said])
  const { rates, concurrency } = force.policy
  const slots = concurrency === null ? null : less(concurrency, merged(inUse))
  const pieces = merged([...inUse, ...remembered])
  const left = rates.map((rate) => ({ ...rate, limit: less(rate.limit, pieces), burst: less(rate.burst, pieces) }))
  const ends = [...away.map(({ seenAtMs, fallbackMs }) => seenAtMs + fallbackMs), ...remembered.map(({ untilMs }) => untilMs)]
  const changesAtMs = Math.min(...ends, force.changesAtMs ?? Number.POSITIVE_INFINITY)
  const isNothing = slots === 0 || left.some(({ limit, burst }) => limit === 0 || burst === 0)
  if (isNothing)
    return { ...force, closedUntilUs: Math.max(force.closedUntilUs, Math.min(Number.POSITIVE_INFINITY, ...ends) * 1_000), changesAtMs }
  return { ...force, policy: { ...force.policy, rates: left, concurrency: slots }, changesAtMs }
}

function less(limit: number, pieces: readonly Interval[]): number {
  return pieces.reduce((left, piece) => left - partOf(piece, limit), limit)
}

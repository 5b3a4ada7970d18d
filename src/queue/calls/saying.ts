// What is said in one hold: everything that the store does not know yet, and what has to be renewed.

import { budgets, type HoldRequest, type ShareSaid } from "../../store/index.ts"
import { ageMs, toAnswer } from "../../worker/requests.ts"
import type { CallWanted, Ending } from "./call.ts"
import type { Roster } from "./roster.ts"
import type { CallsSettings } from "./settings.ts"

/** A hold, remembered until it is answered. */
export interface Said {
  readonly request: HoldRequest
  readonly endings: readonly Ending[]
  readonly sentAtMs: number
}

export interface Saying {
  readonly ownerId: string
  readonly number: number
  readonly sinceMs: number
  readonly shares: readonly ShareSaid[]
  readonly sentAtMs: number
  /** The store was out of reach: whatever runs is told. */
  readonly isDetached: boolean
}

/** What is left is said at once afterwards. */
const most = budgets.stepRows

export function toSay(roster: Roster, { leaseMs }: CallsSettings, saying: Saying): Said {
  const { sentAtMs, isDetached, ...others } = saying
  const endings = roster.endings.splice(0, most)
  const running = [...roster.running.values()].filter((call) => !call.isLost)
  const adopted = new Set(running.filter((call) => isDetached || !call.isKnown).slice(0, most))
  // What was renewed a moment ago need not be renewed by everything that is said.
  const renewed = [...roster.known()].filter((call) => !adopted.has(call) && sentAtMs - call.renewedAtMs >= leaseMs / 6).slice(0, most)
  const asked = [...roster.waiting.values()].filter((call) => !call.isKnown).slice(0, most)
  for (const call of asked) call.isSent = true
  const request: HoldRequest = {
    ...others,
    leaseMs,
    release: endings.map((ending) => releaseOf(ending, sentAtMs)),
    renew: renewed.map(({ id }) => ({ id })),
    adopt: [...adopted].map(({ id, wanted }) => ({ id, ...callOf(wanted) })),
    acquire: asked.map(({ id, wanted }) => ({ id, ...callOf(wanted), waitMs: wanted.waitMs })),
  }
  return { request, endings, sentAtMs }
}

function callOf({ limit, key, cost, isFurther }: CallWanted) {
  return { limit, key, cost, isFurther }
}

function releaseOf({ id, spent, sentAtMs, respondedAtMs, rttMs, heard }: Ending, nowMs: number): HoldRequest["release"][number] {
  const age = (atMs: number | null) => (atMs === null ? null : ageMs(atMs, nowMs))
  const ages = { sentAgoMs: age(sentAtMs), respondedAgoMs: age(respondedAtMs), rttMs }
  return { id, spent, ...ages, heard: heard.map((answer) => toAnswer(answer, nowMs)) }
}

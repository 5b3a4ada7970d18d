// A response as a dialect reads it, and what a dialect makes of it.

import { atMost, cappedCount, cappedWindow, mostNameChars, mostResetMs } from "./caps.ts"
import type { Header } from "./headers.ts"
import type { Quota, Reason, Scope } from "./quota.ts"

export interface Answer {
  readonly status: number
  readonly header: Header
  readonly body: unknown
  /** What the response's own times are measured from. */
  readonly sentAtMs: number
}

export interface Told {
  readonly quotas: readonly Quota[]
  readonly retryAfterMs?: number | null
  readonly reason?: Reason
  readonly scope?: Scope
  /** Refused, although its status does not show it. */
  readonly isRefused?: boolean
}

/** Null where the response does not speak it. */
export type Dialect = (answer: Answer) => Told | null

/** Null where neither a limit nor what remains of it is told. */
export function quotaOf(told: Partial<Quota>): Quota | null {
  const { name = "requests", limit = null, remaining = null, resetMs = null, windowMs = null, bucket = null } = told
  if (limit === null && remaining === null) return null
  return {
    name,
    limit: cappedCount(limit),
    remaining: cappedCount(remaining),
    resetMs: atMost(mostResetMs, resetMs),
    windowMs: cappedWindow(windowMs),
    bucket,
  }
}

/** For dialects that count several things: those that are told, or null where none is. */
export function toldOf(quotas: readonly (Quota | null)[]): Told | null {
  const told = quotas.filter((quota) => quota !== null)
  return told.length === 0 ? null : { quotas: told }
}

/** A name that a provider made up, where it is fit to be shown and to be a key. */
export function nameIn(value: unknown): string | null {
  return typeof value === "string" && value.length <= mostNameChars && /^[\x20-\x7e]+$/.test(value) ? value : null
}

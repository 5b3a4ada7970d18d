// What a gate that scouts remembers of a short window that it tries, or has found; and the window that is kept for it.

import { hearOfWindow, type ToldWindow } from "../told-window.ts"

export const stage = { none: 0, rising: 1, holding: 2, kept: 3, more: 4 } as const

export interface FoundState {
  readonly stage: number
  /** So many are let into a window of this length. */
  readonly limit: number
  readonly perUs: number
  /** Since when, how much has passed since, and how much of that while the window was full but for a little: with less to send it is not. */
  readonly sinceUs: number
  readonly passed: number
  readonly full: number
  /** The distance that had held before. */
  readonly paceNs: number
  /** Episodes since it was tried first, or since one more was last tried. */
  readonly refusals: number
  /** It is not tried before. */
  readonly againAtUs: number
}

export const noFound: FoundState = {
  stage: stage.none,
  limit: 0,
  perUs: 0,
  sinceUs: 0,
  passed: 0,
  full: 0,
  paceNs: 0,
  refusals: 0,
  againAtUs: 0,
}

export function isCounting(found: FoundState | undefined): found is FoundState {
  return found !== undefined && found.stage !== stage.none && found.limit > 0 && found.perUs > 0
}

/** The window as it is kept; undefined where none is. Where none was, it is taken to be full. */
export function windowOfFound(found: FoundState | undefined, known: ToldWindow | undefined, nowUs: number): ToldWindow | undefined {
  return isCounting(found) ? hearOfWindow(known, nowUs, found.limit, found.perUs, found.limit) : undefined
}

/** The distance at which as much would pass. */
export function evenNs({ limit, perUs }: FoundState): number {
  return Math.round((perUs * 1_000) / limit)
}

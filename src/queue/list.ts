// Filters and cursors of `list`.

import { SluiceError, shown } from "../errors/index.ts"
import { budgets, type ListRequest } from "../store/index.ts"
import { type Status, statuses } from "../task/index.ts"
import { type Instant, oneOf, parseInstant, parseName, readOptions, wholeNumber } from "../units/index.ts"
import type { Task } from "./task.ts"

export interface ListOptions {
  readonly status?: Status | readonly Status[]
  readonly type?: string
  readonly tag?: string
  readonly createdFrom?: Instant
  readonly createdBefore?: Instant
  readonly limit?: number
  /** From the page before. */
  readonly cursor?: string
}

export interface TaskPage {
  /** Newest first. */
  readonly tasks: readonly Task[]
  /** For the next page; null on the last one. */
  readonly cursor: string | null
}

const status = oneOf(...statuses)

export function listRequest(options: ListOptions | undefined): ListRequest {
  const read = readOptions("list", options, {
    status: (name, value) => (Array.isArray(value) ? value.map((one) => status(name, one)) : [status(name, value)]),
    type: parseName,
    tag: parseName,
    createdFrom: parseInstant,
    createdBefore: parseInstant,
    limit: wholeNumber(1, budgets.listPage),
    cursor: parseCursor,
  })
  return {
    statuses: read.status ?? null,
    type: read.type ?? null,
    tag: read.tag ?? null,
    createdFromMs: read.createdFrom ?? null,
    createdBeforeMs: read.createdBefore ?? null,
    beforeSeq: read.cursor ?? null,
    limit: read.limit ?? 50,
  }
}

/** Opaque to users, so that it may change; a tampered one is refused, never misread. */
export function formatCursor(beforeSeq: number): string {
  return Buffer.from(`before:${beforeSeq}`).toString("base64url")
}

function parseCursor(name: string, value: unknown): number {
  const text = typeof value === "string" ? Buffer.from(value, "base64url").toString() : ""
  const seq = Number(/^before:(\d{1,16})$/.exec(text)?.[1] ?? Number.NaN)
  if (Number.isSafeInteger(seq)) return seq
  throw new SluiceError("invalid_cursor", `${name}: expected the cursor of the page before, got ${shown(value)}`)
}

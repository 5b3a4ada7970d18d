// Filters and cursors of `list`.

import { budgets, type ListRequest } from "../store/index.ts"
import { type Status, statuses } from "../task/index.ts"
import {
  formatCursor,
  type Instant,
  oneOf,
  parseCursor,
  parseInstant,
  parseKey,
  parseName,
  readOptions,
  wholeNumber,
} from "../units/index.ts"
import type { Task } from "./task.ts"

export interface ListOptions {
  readonly status?: Status | readonly Status[]
  readonly type?: string
  readonly tag?: string
  /** The id of a job: its tasks only. */
  readonly job?: string
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
    job: parseKey,
    createdFrom: parseInstant,
    createdBefore: parseInstant,
    limit: wholeNumber(1, budgets.listPage),
    cursor: parseListCursor,
  })
  return {
    statuses: read.status ?? null,
    type: read.type ?? null,
    tag: read.tag ?? null,
    jobId: read.job ?? null,
    createdFromMs: read.createdFrom ?? null,
    createdBeforeMs: read.createdBefore ?? null,
    beforeSeq: read.cursor ?? null,
    limit: read.limit ?? 50,
  }
}

const before = parseCursor("before")

export function listCursor(beforeSeq: number): string {
  return formatCursor("before", String(beforeSeq))
}

function parseListCursor(name: string, value: unknown): number {
  return wholeNumber(0, Number.MAX_SAFE_INTEGER)(name, Number(before(name, value)))
}

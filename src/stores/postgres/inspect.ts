// What is read without changing anything: lists, histories, counts.

import { shown } from "../../errors/index.ts"
import { budgets, type CountsRequest, type ListAnswer, type ListRequest, type WorkerReport } from "../../store/contract.ts"
import type { FirstPending } from "../../store/records.ts"
import { type HistoryEntry, type Status, statuses } from "../../task/index.ts"
import { damaged } from "./damage.ts"
import type { ReadTasks } from "./jobs.ts"
import { toHistory } from "./rows.ts"
import type { Sql } from "./sql.ts"

/** How many rows one look goes through. */
const listLook = 10_000

export async function historyOf(sql: Sql, ns: number, id: string): Promise<{ version: number; entries: readonly HistoryEntry[] } | null> {
  const [row] = await sql.rows("readHistory", ns, id)
  return row ? { version: row[0] as number, entries: toHistory(row[1], id) } : null
}

/** What a look needs. */
export interface Look {
  readonly sql: Sql
  readonly ns: number
  readonly read: ReadTasks
}

export async function listTasks({ sql, ns, read }: Look, request: ListRequest): Promise<ListAnswer> {
  const before = request.beforeSeq ?? Number.MAX_SAFE_INTEGER
  const limit = Math.min(request.limit, budgets.listPage)
  const { type, tag, createdFromMs, createdBeforeMs, jobId } = request
  const filters = [before, listLook, request.statuses, type, tag, createdFromMs, createdBeforeMs, limit]
  const tasks = jobId === null ? await read("listTasks", ...filters) : await read("listOfJob", ...filters, jobId)
  if (tasks.length >= limit) return { tasks, nextBeforeSeq: tasks.at(-1)?.seq ?? null }
  const ends = jobId === null ? await sql.rows("listEnd", before, listLook) : await sql.rows("listOfJobEnd", ns, before, listLook, jobId)
  const [looked, last] = ends[0] as readonly [number, number | null]
  return { tasks, nextBeforeSeq: looked < listLook ? null : last }
}

export async function countTasks(sql: Sql, ns: number, request: CountsRequest): Promise<Record<Status, number>> {
  const found = new Map((await sql.rows("counts", ns, request.type)) as readonly (readonly [Status, number])[])
  for (const [status, count] of found)
    if (!(count >= 0)) throw damaged(`the count of ${shown(status)} tasks (in tallies)`, "0 or more", count)
  return Object.fromEntries(statuses.map((status) => [status, found.get(status) ?? 0])) as Record<Status, number>
}

export async function firstPendingOf({ sql, ns, read }: Look, afterSeq: number): Promise<FirstPending> {
  const [first] = await read("firstPending", afterSeq, listLook)
  if (first) return { first, nextAfterSeq: first.seq - 1, isEnd: false }
  const [looked, last, own] = (await sql.rows("firstPendingEnd", ns, afterSeq, listLook))[0] as readonly [number, ...(number | null)[]]
  const isEnd = looked < listLook
  // At the end nothing is left out for others' sake: a number below theirs may still be written here.
  return { first: null, nextAfterSeq: (isEnd ? own : last) ?? afterSeq, isEnd }
}

export async function workersOf(sql: Sql, ns: number, sinceMs: number, limit: number): Promise<WorkerReport[]> {
  const rows = (await sql.rows("workers", ns, sinceMs, limit)) as unknown as [string, number, string[], number][]
  return rows.map(([id, seenAtMs, types, running]) => ({ id, types, seenAtMs, running }))
}

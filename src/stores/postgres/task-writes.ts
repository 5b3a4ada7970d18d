// What a step writes of tasks: one statement for all of them, as far as they are alike.

import type { Change, GateRef, TaskRecord } from "../../task/index.ts"
import { trimHistory } from "../../task/index.ts"
import { finishedAtMs, fromHistory, gatesText, toHistory } from "./rows.ts"
import { type Sql, unlessEmpty, type Value } from "./sql.ts"

export async function insertTasks(sql: Sql, ns: number, changes: readonly Change[], lanes: readonly (number | null)[]): Promise<void> {
  // Neighbours that were submitted alike are one statement.
  const groups: { values: readonly Value[]; columns: (string | number | null)[][] }[] = []
  for (const [i, { task, entries }] of changes.entries()) {
    const values: Value[] = [
      ...[ns, task.type, task.status, task.jobId, task.createdAtMs, task.availableAtMs, task.readyAtMs, task.expiresAtMs],
      ...[task.expiredAtMs, finishedAtMs(task), task.maxRetries, task.maxReschedules, task.maxThrottles, task.timeoutMs, task.version],
      fromHistory(entries),
    ]
    const last = groups.at(-1)
    const group = last?.values.every((value, at) => value === values[at]) ? last : { values, columns: newColumns() }
    if (group !== last) groups.push(group)
    const flow = task.flow === task.type ? null : task.flow
    const tags = task.tags.length === 0 ? null : JSON.stringify(task.tags)
    const { seq, id, input, forecastAtMs, idempotencyKey, inputDigest, priority } = task
    const row = [seq, id, input, lanes[i] ?? null, gatesText(task.gates), forecastAtMs, idempotencyKey, inputDigest, flow, priority, tags]
    for (let at = 0; at < row.length; at++) group.columns[at]?.push(row[at] as string | number | null)
  }
  for (const { values, columns } of groups)
    sql.tell("insertTasks", ...columns.map((column, at) => (at === gatesAt ? lines(column) : unlessEmpty(column))), ...values)
}

/** Of those the gates, which are told one a line: JSON has no line break that is not escaped, so that nothing else has to be. */
const gatesAt = 4

function lines(column: readonly (string | number | null)[]): string | null {
  return column.some((value) => value !== null) ? column.map((value) => value ?? "").join("\n") : null
}

/** Those that insertTasks takes as lists. */
function newColumns(): (string | number | null)[][] {
  return Array.from({ length: 11 }, () => [])
}

/** What claims were charged, where that was learned. */
export async function saveReserved(sql: Sql, tasks: readonly TaskRecord[]): Promise<void> {
  if (tasks.length === 0) return
  sql.tell(
    "saveReserved",
    tasks.map(({ seq }) => seq),
    tasks.map(({ gates }) => gatesText(gates)),
  )
}

/** Whether something else was charged than the task says. */
export function isReserved(gates: readonly GateRef[] | null): boolean {
  return gates?.some(({ reserved }) => reserved !== undefined) ?? false
}

export async function routeTasks(sql: Sql, tasks: readonly TaskRecord[]): Promise<void> {
  if (tasks.length === 0) return
  sql.tell(
    "routeTasks",
    tasks.map(({ seq }) => seq),
    tasks.map(({ flow, type }) => (flow === type ? null : flow)),
    tasks.map(({ gates }) => gatesText(gates)),
    tasks.map(({ forecastAtMs }) => forecastAtMs),
  )
}

/** Of those whose history has to be trimmed: as it is stored. */
export async function readHistories(sql: Sql, seqs: readonly number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  return new Map((await sql.rows("readHistories", seqs)) as readonly (readonly [number, string])[])
}

/** What is appended, with what an earlier change of the same step has; or all of it anew. */
export function historyOf(
  task: TaskRecord,
  entries: Change["entries"],
  before: Record<string, string | number | null> | undefined,
  trimmed: ReadonlyMap<number, string>,
): { history: string | null; appended: string } {
  const appended = `${before?.appended ?? ""}${entries.length > 0 ? `,${fromHistory(entries)}` : ""}`
  const stored = trimmed.get(task.seq)
  if (stored === undefined) return { history: null, appended }
  return { history: fromHistory(trimHistory(toHistory(`${stored}${appended}`, task.id))), appended }
}

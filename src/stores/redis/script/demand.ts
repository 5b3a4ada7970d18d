// What waits at a gate, by type, flow and priority. A few rows stand in the record of the gate itself, which is written anyway when they
// change. Where many flows wait, the record has only sums, and each flow a field of `demand:<gate>`: what a task changes, and what a forecast
// reads, does not grow with the number of flows.

import type { Demand } from "../../../store/limit-records.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import { unpacked } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

/** What waits, or how much more of it. */
export type Row = [type: string, flow: string, priority: number, tasks: number, cost: number]
/** Of all flows. `flows`: those whose highest priority this is. */
export type Sum = [priority: number, tasks: number, cost: number, flows: number]
/** Of one flow. */
type Level = [priority: number, tasks: number, cost: number]

export interface Waiting {
  readonly number: number
  rows: Row[]
  sums: Sum[]
  /** What this step has changed and the sums do not have yet. */
  more: Row[]
}

const mostRows = 8

export function countDemand(at: Waiting, type: string, flow: string, priority: number, tasks: number, cost: number): void {
  if (at.sums.length > 0 || at.more.length > 0) addMore(at, type, flow, priority, tasks, cost)
  else addRow(at, type, flow, priority, tasks, cost)
}

function addRow(at: Waiting, type: string, flow: string, priority: number, tasks: number, cost: number): void {
  const { rows } = at
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row
    if (row[0] !== type || row[1] !== flow || row[2] !== priority) continue
    row[3] += tasks
    row[4] += cost
    if (row[3] <= 0 && i === rows.length - 1) rows.pop()
    else if (row[3] <= 0) rows.splice(i, 1)
    return
  }
  if (tasks <= 0) return
  rows.push([type, flow, priority, tasks, cost])
  if (rows.length <= mostRows) return
  at.more = rows
  at.rows = []
}

function addMore(at: Waiting, type: string, flow: string, priority: number, tasks: number, cost: number): void {
  const last = at.more[at.more.length - 1]
  if (last !== undefined && last[0] === type && last[1] === flow && last[2] === priority) {
    last[3] += tasks
    last[4] += cost
  } else at.more.push([type, flow, priority, tasks, cost])
}

/** With at least this priority; of one flow of one type, or all. */
export function demandAt(at: Waiting, base: string, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand {
  settleDemand(at, base)
  if (at.sums.length > 0) return of === null ? sumOfAll(at.sums, priority) : sumOfFlow(at, base, priority, fieldOf(of.type, of.flow))
  let tasks = 0
  let cost = 0
  let flows = 0
  for (let i = 0; i < at.rows.length; i++) {
    const row = at.rows[i] as Row
    if (row[2] < priority || (of !== null && (row[0] !== of.type || row[1] !== of.flow))) continue
    tasks += row[3]
    cost += row[4]
    let isNew = true
    for (let j = 0; j < i; j++) {
      const other = at.rows[j] as Row
      if (other[2] >= priority && other[0] === row[0] && other[1] === row[1]) isNew = false
    }
    if (isNew) flows++
  }
  return { tasks, cost, flows }
}

function sumOfAll(sums: readonly Sum[], least: number): Demand {
  let tasks = 0
  let cost = 0
  let flows = 0
  for (const sum of sums) {
    if (sum[0] < least) continue
    tasks += sum[1]
    cost += sum[2]
    flows += sum[3]
  }
  return { tasks, cost, flows }
}

function sumOfFlow(at: Waiting, base: string, least: number, field: string): Demand {
  const key = `${base}demand:${at.number}`
  const text = redis.call("HGET", key, field) as string | false
  let tasks = 0
  let cost = 0
  for (const level of text === false ? [] : unpacked<Level[]>(text, key, field)) {
    if (level[0] < least) continue
    tasks += level[1]
    cost += level[2]
  }
  return { tasks, cost, flows: tasks > 0 ? 1 : 0 }
}

/** Brings sums and fields up to what the step has changed. */
export function settleDemand(at: Waiting, base: string): void {
  const { more, number } = at
  if (more.length === 0) return
  const key = `${base}demand:${number}`
  const fields: string[] = []
  const byField: Record<string, Level[]> = {}
  for (const row of more) {
    const field = fieldOf(row[0], row[1])
    if (byField[field] !== undefined) continue
    byField[field] = []
    fields.push(field)
  }
  const texts = askWith("HMGET", key, fields)
  const before: number[] = []
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as string
    const text = texts[i] as string | false
    if (text !== false) byField[field] = unpacked<Level[]>(text, key, field)
    before.push(highest(byField[field] as Level[]))
  }
  for (const row of more) {
    addLevel(byField[fieldOf(row[0], row[1])] as Level[], row[2], row[3], row[4])
    addSum(at.sums, row[2], row[3], row[4], 0)
  }
  const saved: Values = []
  const gone: Values = []
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as string
    const levels = (byField[field] as Level[]).filter((level) => level[1] > 0)
    const [was, is] = [before[i] as number, highest(levels)]
    if (was !== is) {
      if (was !== nowhere) addSum(at.sums, was, 0, 0, -1)
      if (is !== nowhere) addSum(at.sums, is, 0, 0, 1)
    }
    if (levels.length > 0) saved.push(field, cmsgpack.pack(levels))
    else gone.push(field)
  }
  at.sums = at.sums.filter((sum) => sum[1] > 0)
  at.more = []
  callWith("HSET", key, saved)
  callWith("HDEL", key, gone)
}

/** Below every priority. */
const nowhere = -1e9

function highest(levels: readonly Level[]): number {
  let found = nowhere
  for (const level of levels) found = Math.max(found, level[0])
  return found
}

function addLevel(levels: Level[], priority: number, tasks: number, cost: number): void {
  for (const level of levels) {
    if (level[0] !== priority) continue
    level[1] += tasks
    level[2] += cost
    return
  }
  levels.push([priority, tasks, cost])
}

function addSum(sums: Sum[], priority: number, tasks: number, cost: number, flows: number): void {
  for (const sum of sums) {
    if (sum[0] !== priority) continue
    sum[1] += tasks
    sum[2] += cost
    sum[3] += flows
    return
  }
  sums.push([priority, tasks, cost, flows])
}

function fieldOf(type: string, flow: string): string {
  return `${type}\0${flow}`
}

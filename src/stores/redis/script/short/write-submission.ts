// Carries out a submission that was planned, and answers it.

import type { NewTask } from "../../../../task/index.ts"
import { orderSpan } from "../../layout.ts"
import { callWith, type Values } from "../batch.ts"
import { texts } from "../builtins.ts"
import { digits } from "../lua.ts"
import { flowMember, flowName } from "../places.ts"
import { isLong, statusCode } from "../row.ts"
import { cmsgpack, redis } from "../server.ts"
import { newMember, writeArrival } from "./arrival.ts"
import { sub, unpackThree } from "./bytes.ts"
import type { Plan } from "./plan.ts"
import type { Submission } from "./submit.ts"
import { writeGates } from "./write.ts"

export function writeSubmission(submission: Submission): string[] {
  const { plan, tasks, values, keys, firstSeq } = submission
  const { base, context } = plan
  const records: string[] = []
  const inputs: string[] = []
  const answer = ["ok", ""]
  for (let i = 0; i < tasks.length; i++) {
    const { id, input } = tasks[i] as NewTask
    const isApart = isLong(input)
    if (isApart) inputs.push(id, input)
    records[2 * i] = id
    records[2 * i + 1] = values[i] as string
    answer[3 * i + 2] = id
    answer[3 * i + 3] = values[i] as string
    answer[3 * i + 4] = isApart ? input : ""
  }
  answer[1] = told(plan.nowMs, tasks.length)
  callWith("HSET", `${base}tasks`, records)
  callWith("HSET", `${base}inputs`, inputs)
  callWith("HSET", `${base}keys`, keys)
  writeOrder(base, tasks, firstSeq)
  writeLanes(submission)
  if (plan.changedGates.length > 0) writeGates(plan)
  if (submission.newGates.length > 0) writeNewGates(submission)
  writeCounts(base, tasks)
  const { meta } = context
  meta.set("seq", firstSeq + tasks.length - 1)
  if (submission.lanes !== meta.number("lanes")) meta.set("lanes", submission.lanes)
  if (submission.gates !== meta.number("gates")) meta.set("gates", submission.gates)
  meta.end()
  redis.call("PUBLISH", `${base}news`, context.sender)
  return answer
}

function told(nowMs: number, count: number): string {
  const now = texts.format("%.0f", nowMs)
  const opening = `{"created":true,"forecast":{"atMs":${now},"basis":"now","latestMs":${now}},"task":`
  const parts: string[] = []
  for (let i = 0; i < count; i++) parts[i] = `${opening}${i}}`
  return `{"kind":"ok","nowMs":${now},"tasks":[${parts.join(",")}]}`
}

function writeOrder(base: string, tasks: readonly NewTask[], firstSeq: number): void {
  const orders: Values = []
  let at = 0
  while (at < tasks.length) {
    const seq = firstSeq + at
    const from = seq % orderSpan
    const bucket = (seq - from) / orderSpan
    const to = Math.min(tasks.length - at, orderSpan - from)
    const fields: Values = []
    for (let i = 0; i < to; i++) {
      fields[2 * i] = digits(from + i)
      fields[2 * i + 1] = (tasks[at + i] as NewTask).id
    }
    redis.call("HSET", `${base}order:${bucket}`, ...fields)
    const name = digits(bucket)
    orders.push(name, name)
    at += to
  }
  callWith("ZADD", `${base}orders`, orders)
}

interface OpenFlow {
  readonly type: string
  readonly flow: string
  readonly members: Values
  best: string
}

/** Lanes that had nobody come to stand, and their flows with them. */
function writeLanes({ plan, arrivals }: Submission): void {
  const { base, nowMs } = plan
  const written: Values = []
  const made: Values = []
  const woken: Values = []
  const names: string[] = []
  const flows: Record<string, OpenFlow | undefined> = {}
  for (const arrival of arrivals) {
    const { type, flow, number } = arrival
    written.push(digits(number), writeArrival(base, arrival, nowMs))
    if (arrival.isNew) made.push(arrival.name, number)
    if (arrival.head !== "") continue
    if (!arrival.isNew) woken.push(number)
    const name = flowName(type, flow)
    const member = newMember(arrival, nowMs)
    const known = flows[name]
    if (known === undefined) {
      flows[name] = { type, flow, members: ["0", member], best: member }
      names.push(name)
    } else {
      known.members.push("0", member)
      if (member < known.best) known.best = member
    }
  }
  callWith("HSET", `${base}lanes`, written)
  callWith("HSET", `${base}lane-of`, made)
  callWith("SREM", `${base}lanes-idle`, woken)
  for (const name of names) {
    const flow = flows[name] as OpenFlow
    callWith("ZADD", `${base}lanes:0:${name}`, flow.members)
    placeFlow(plan, name, flow)
  }
}

/** A flow that was idle resumes at the present; one that stands already has somebody before these. */
function placeFlow({ base, context }: Plan, name: string, { type, flow, best }: OpenFlow): void {
  const found = redis.call("HGET", `${base}flows`, `0:${name}`) as string | false
  const present = context.meta.number("time")
  let [time, waiting, member]: unknown[] = [present, 0, false]
  if (found !== false) {
    const [, itsTime, itsWaiting, itsMember] = unpackThree(found, 3, 1)
    time = itsTime
    waiting = itsWaiting
    member = itsMember
  }
  const key = `${base}flows:0:${type}`
  if (typeof member === "string") {
    if (sub(member, 1, 5) + sub(member, 22, 53) <= sub(best, 1, 37)) return
    redis.call("ZREM", key, member)
  } else time = Math.max(time as number, present)
  const placed = flowMember(best, time as number, flow)
  redis.call("ZADD", key, "0", placed)
  redis.call("HSET", `${base}flows`, `0:${name}`, cmsgpack.pack([time, waiting, placed]))
  redis.call("ZREM", `${base}flows-idle`, name)
}

function writeCounts(base: string, tasks: readonly NewTask[]): void {
  const types: string[] = []
  const counts: Record<string, number | undefined> = {}
  for (const { type } of tasks) {
    if (counts[type] === undefined) types.push(type)
    counts[type] = (counts[type] ?? 0) + 1
  }
  for (const type of types) redis.call("HINCRBY", `${base}counts`, `${statusCode("pending")}${type}`, counts[type] as number)
}

function writeNewGates({ plan, newGates }: Submission): void {
  const { base } = plan
  const names: Values = []
  const ordered: Record<string, Values | undefined> = {}
  const limits: string[] = []
  for (const { number, name, limit, key } of newGates) {
    names.push(number, name)
    let keys = ordered[limit]
    if (keys === undefined) {
      keys = []
      ordered[limit] = keys
      limits.push(limit)
    }
    keys.push("0", key)
  }
  callWith("HSET", `${base}gate-names`, names)
  for (const limit of limits) callWith("ZADD", `${base}gates:${limit}`, ordered[limit] ?? [])
}

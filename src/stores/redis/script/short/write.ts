// Carries out what was planned: a command or two for each key, however many tasks there are.

import { errorBucket } from "../../../../store/forecast.ts"
import { callWith, type Values } from "../batch.ts"
import { digits } from "../lua.ts"
import { statusCode } from "../row.ts"
import { cmsgpack, redis } from "../server.ts"
import type { Claim, Taken } from "./claim.ts"
import type { Exchange } from "./exchange.ts"
import { isEmpty, laneText, listKey, memberOf } from "./lane.ts"
import type { Plan } from "./plan.ts"

export function write({ plan, claim }: Exchange): void {
  const { base, tasks, finished, workerId, context } = plan
  if (claim) saveWorker(plan, claim)
  callWith("HSET", `${base}tasks`, tasks)
  if (finished.length > 0) {
    callWith("SREM", `${base}running:${workerId}`, finished)
    writeFinished(plan)
  }
  if (claim?.taken) writeTaken(plan, claim.taken)
  writeCounts(plan)
  if (plan.changedGates.length > 0) writeGates(plan)
  context.meta.end()
}

function saveWorker({ base, workerId, nowMs }: Plan, { asked }: Claim): void {
  const worker: (number | string)[] = [asked.number]
  for (const { type } of asked.types) worker.push(type)
  redis.call("HSET", `${base}workers`, workerId, cmsgpack.pack(worker))
  redis.call("ZADD", `${base}workers-seen`, digits(nowMs), workerId)
}

function writeFinished({ base, finished, context, nowMs }: Plan): void {
  const { meta } = context
  if (meta.number("finished") !== nowMs) {
    meta.set("finished", nowMs)
    redis.call("RPUSH", `${base}finished`, `t${digits(nowMs)}`)
  }
  callWith("RPUSH", `${base}finished`, finished)
}

function writeTaken(plan: Plan, taken: Taken): void {
  const { base, workerId, started, context } = plan
  const { type, name, before, member, waiting, flowTime, virtualTime, starts } = taken
  callWith("SADD", `${base}running:${workerId}`, started)
  redis.call("ZADD", `${base}leases`, "LT", digits(starts.expiresAtMs), workerId)
  writeLanes(plan, taken)
  const flows = `${base}flows:0:${type}`
  redis.call("ZREM", flows, before)
  if (member !== "") redis.call("ZADD", flows, "0", member)
  else if (waiting === 0) redis.call("ZADD", `${base}flows-idle`, digits(flowTime), name)
  redis.call("HSET", `${base}flows`, `0:${name}`, cmsgpack.pack([flowTime, waiting, member !== "" ? member : false]))
  if (context.meta.number("time") !== virtualTime) context.meta.set("time", virtualTime)
  writeErrors(plan, type, starts.toldMs)
}

function writeLanes({ base }: Plan, { name, lanes }: Taken): void {
  const texts: Values = []
  const gone: Values = []
  const come: Values = []
  const idle: Values = []
  let [at, left] = [0, 0]
  for (const lane of lanes) {
    if (lane.taken === 0) continue
    const { number, member } = lane
    const hasNobody = isEmpty(lane)
    texts[2 * at] = number
    texts[2 * at + 1] = laneText(lane)
    gone[at] = member
    at++
    if (hasNobody) idle.push(number)
    else {
      come[2 * left] = "0"
      come[2 * left + 1] = memberOf(lane)
      left++
    }
    if (lane.count >= 0) continue
    if (hasNobody) redis.call("DEL", listKey(base, lane))
    else redis.call("LTRIM", listKey(base, lane), lane.taken, -1)
  }
  callWith("HSET", `${base}lanes`, texts)
  callWith("ZREM", `${base}lanes:0:${name}`, gone)
  callWith("ZADD", `${base}lanes:0:${name}`, come)
  callWith("SADD", `${base}lanes-idle`, idle)
}

function writeErrors({ base, nowMs }: Plan, type: string, toldMs: readonly number[]): void {
  const buckets: number[] = []
  const counts: Record<number, number | undefined> = {}
  let latest = -1
  let bucket = 0
  for (const told of toldMs) {
    if (told !== latest) {
      latest = told
      bucket = errorBucket(nowMs - told)
      if (counts[bucket] === undefined) {
        buckets.push(bucket)
        counts[bucket] = 0
      }
    }
    counts[bucket] = (counts[bucket] as number) + 1
  }
  for (const one of buckets) redis.call("HINCRBY", `${base}forecast-errors`, `${one} ${type}`, counts[one] as number)
}

function writeCounts({ base, types, completed, claimed }: Plan): void {
  const key = `${base}counts`
  for (const type of types) {
    const [ended, begun] = [completed[type] as number, claimed[type] as number]
    if (begun > 0) redis.call("HINCRBY", key, `${statusCode("pending")}${type}`, -begun)
    if (begun !== ended) redis.call("HINCRBY", key, `${statusCode("running")}${type}`, begun - ended)
    if (ended > 0) redis.call("HINCRBY", key, `${statusCode("completed")}${type}`, ended)
  }
}

export function writeGates({ base, gates, changedGates, idleGates, limits, moreOfLimit }: Plan): void {
  const written: Values = []
  for (let i = 0; i < changedGates.length; i++) {
    const name = changedGates[i] as string
    written[2 * i] = name
    written[2 * i + 1] = gates[name] as string
  }
  callWith("HSET", `${base}gates`, written)
  callWith("ZADD", `${base}gates-idle`, idleGates)
  for (const limit of limits) redis.call("HINCRBY", `${base}limits-waiting`, limit, moreOfLimit[limit] as number)
}

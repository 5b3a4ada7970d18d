// What a stored schedule has to look like (sound.ts says why that is looked at).

import type { CatchUp, ScheduleRecord, TaskTemplate, When } from "../task/index.ts"
import { isCount, isFlag, isGateRefs, isObject, isPriority, isText, isTexts, isTime, isWhole, orNull } from "./sound.ts"

/** Without the instant that it stands at, which is kept apart. */
export type KeptSchedule = Omit<ScheduleRecord, "nextAtMs">

export function isKeptSchedule(value: unknown, name: string): value is KeptSchedule {
  return (
    isObject<KeptSchedule>(value) &&
    value.name === name &&
    [value.cron, value.timezone].every(isText) &&
    isCatchUp(value.catchUp) &&
    isTemplate(value.template) &&
    isFlag(value.isPaused) &&
    orNull(isTime)(value.lastAtMs) &&
    [value.lastTaskId, value.lastError].every(orNull(isText)) &&
    isCount(value.version) &&
    [value.createdAtMs, value.updatedAtMs].every(isTime)
  )
}

function isCatchUp(value: unknown): boolean {
  return value === "none" || value === "last" || (isObject<Exclude<CatchUp, string>>(value) && isWhole(value.all, 1, 1_000_000))
}

function isTemplate(value: unknown): boolean {
  return (
    isObject<TaskTemplate>(value) &&
    [value.type, value.input, value.flow].every(isText) &&
    isPriority(value.priority) &&
    isTexts(value.tags) &&
    [value.jobId, value.inputDigest].every(orNull(isText)) &&
    (value.gates === null || isGateRefs(value.gates)) &&
    orNull(isWhen)(value.expiry) &&
    [value.maxRetries, value.timeoutMs].every(isCount) &&
    [value.maxReschedules, value.maxThrottles].every(orNull(isCount))
  )
}

function isWhen(value: unknown): boolean {
  if (!isObject<{ atMs: number; inMs: number } & When>(value)) return false
  return "atMs" in value ? isTime(value.atMs) : isCount(value.inMs)
}

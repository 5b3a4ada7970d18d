// What a stored job has to look like, before it is believed.

import { type JobRecord, jobStatuses, jobTallies, type NewTask } from "../task/index.ts"
import { isCost, isCount, isFlag, isGateRefs, isListOf, isObject, isPriority, isText, isTexts, isTime, orNull } from "./sound.ts"

const statuses: ReadonlySet<unknown> = new Set(jobStatuses)

export function isJobRecord(value: unknown): value is JobRecord {
  if (!isObject<JobRecord>(value)) return false
  const { tasks } = value
  return (
    [value.id, value.name].every(isText) &&
    [value.seq, value.failureStreak, value.throttleStreak, value.throttles].every(isCount) &&
    statuses.has(value.status) &&
    [value.isOpen, value.isStopping].every(isFlag) &&
    [value.concurrency, value.failureThreshold].every(orNull(isCost)) &&
    isListOf(value.exemptStatuses, isCount) &&
    orNull(isBound)(value.cancelAfterThrottles) &&
    orNull(isNewTask)(value.onComplete) &&
    [value.onCompleteTaskId, value.error].every(orNull(isText)) &&
    isObject<JobRecord["tasks"]>(tasks) &&
    jobTallies.every((status) => isCount(tasks[status])) &&
    [value.createdAtMs, value.updatedAtMs].every(isTime) &&
    [value.startedAtMs, value.endedAtMs, value.taskEndedAtMs].every(orNull(isTime)) &&
    isListOf(value.marks, isMark)
  )
}

function isBound(bound: unknown): boolean {
  return isObject<NonNullable<JobRecord["cancelAfterThrottles"]>>(bound) && isCost(bound.count) && isCount(bound.delayMs)
}

function isMark(mark: unknown): boolean {
  return isObject<JobRecord["marks"][number]>(mark) && isTime(mark.atMs) && isCount(mark.ended)
}

/** A task that is kept to be submitted later. */
export function isNewTask(task: unknown): boolean {
  return (
    isObject<NewTask>(task) &&
    [task.id, task.type, task.input, task.flow].every(isText) &&
    isPriority(task.priority) &&
    isTexts(task.tags) &&
    (task.gates === null || isGateRefs(task.gates)) &&
    [task.schedule, task.expiry].every(orNull(isWhen)) &&
    [task.maxRetries, task.timeoutMs].every(isCount) &&
    [task.maxReschedules, task.maxThrottles].every(orNull(isCount)) &&
    [task.jobId, task.idempotencyKey, task.inputDigest].every(orNull(isText))
  )
}

function isWhen(when: unknown): boolean {
  return isObject<{ atMs: number; inMs: number }>(when) && (isTime(when.atMs) || isTime(when.inMs))
}

// What the store refused, as the errors that people see.

import { SluiceError, shown } from "../errors/index.ts"
import type { PermitAnswer, RouteResult, SubmitAnswer } from "../store/index.ts"
import type { NewTask } from "../task/index.ts"
import { jobEnded, jobNotFound } from "./jobs.ts"

export function submitRefusal(answer: Exclude<SubmitAnswer, { kind: "ok" }>, task: NewTask | undefined): SluiceError {
  const where = `submit ${task?.type}`
  switch (answer.kind) {
    case "schedule_after_expiry":
      return new SluiceError(answer.kind, answer.message)
    case "conflict":
      return new SluiceError(
        "idempotency_conflict",
        `${where}: expected the same type and input for idempotency key ${shown(task?.idempotencyKey)} as task ${answer.existing.id} (${answer.existing.type}), got others; use another key for another task`,
      )
    case "unknown_job":
      return jobNotFound(answer.jobId)
    case "job_ended":
      return jobEnded(where, answer.job)
    default:
      return routeRefusal(where, answer)
  }
}

export function routeRefusal(where: string, result: RouteResult): SluiceError {
  if (result.kind === "cost_above_limit") return costAboveLimit(where, result)
  return new SluiceError(
    "unknown_limit",
    `${where}: expected a limit that some code has declared, got ${shown(result.limit)}; define it with defineLimit and start what uses it, or see which there are with "sluice limits ls"`,
  )
}

export function costAboveLimit(where: string, refused: Extract<RouteResult | PermitAnswer, { kind: "cost_above_limit" }>): SluiceError {
  const { gate, cost, largest } = refused
  return new SluiceError(
    "cost_above_limit",
    `${where}: expected a cost of at most ${largest}, which is all that gate ${gate} ever lets pass at once, got ${cost}; lower the cost or raise the limit`,
  )
}

export function unknownLimit(where: string, name: string, known: readonly string[]): SluiceError {
  const there = known.length === 0 ? "none is known yet" : `known are ${known.join(", ")}`
  return new SluiceError("unknown_limit", `${where}: expected a limit that some code has declared, got ${shown(name)}; ${there}`)
}

export function learnedMeanwhile(where: string, name: string, version: number): SluiceError {
  return new SluiceError(
    "learned_meanwhile",
    `${where}: expected the gate of ${shown(name)} as it was read, but it has learned meanwhile (version ${version}); read it again`,
  )
}

export function taskNotFound(id: string): SluiceError {
  return new SluiceError(
    "not_found",
    `task ${shown(id)}: expected the id of a task, found none; it may have been removed after its retention`,
  )
}

// What people send in the names of the wire, as the options of the library.

import type { z } from "zod"
import type { JobTask, SubmitOptions } from "../queue/index.ts"
import type { jobTaskBody, scheduleBody, submitBody } from "./schemas.ts"

type Sent = Partial<z.output<typeof submitBody>> & Partial<z.output<typeof scheduleBody>>

const optionNames = {
  priority: "priority",
  tags: "tags",
  ttl: "ttl",
  ttl_seconds: "ttlSeconds",
  expires_at: "expiresAt",
  delay: "delay",
  schedule_at: "scheduleAt",
  timeout: "timeout",
  timeout_seconds: "timeoutSeconds",
  max_retries: "maxRetries",
  max_reschedules: "maxReschedules",
  max_throttles: "maxThrottles",
  idempotency_key: "idempotencyKey",
  flow: "flow",
  job_id: "job",
  gates: "gates",
} as const satisfies Partial<Record<keyof Sent, keyof SubmitOptions>>

/** Their values are read by the queue. */
export function submitOptions(sent: Sent): SubmitOptions {
  const given = Object.entries(optionNames).filter(([name]) => sent[name as keyof typeof optionNames] !== undefined)
  return Object.fromEntries(given.map(([name, option]) => [option, sent[name as keyof typeof optionNames]])) as SubmitOptions
}

/** Left out, an input is empty, as on the command line. */
export function jobTask(sent: z.output<typeof jobTaskBody>): JobTask {
  return { task: sent.task_type, input: sent.input ?? {}, options: submitOptions(sent) }
}

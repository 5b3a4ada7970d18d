// Jobs: submit, watch, close, cancel.

import { z } from "zod"
import { jobDetailDocument } from "../../queue/document.ts"
import type { JobOptions, Queue } from "../../queue/index.ts"
import { type JobStatus, jobStatuses } from "../../task/index.ts"
import { oneOf } from "../../units/index.ts"
import { jobTask } from "../options.ts"
import { nothing, type Route, route } from "../route.ts"
import { cursor, jobDetail, jobDocument, jobTaskBody, name, pageSize } from "../schemas.ts"

const tag = "jobs"
const idParams = z.strictObject({ id: z.string().min(1).max(128) })
const mostTasks = 10_000
const readStatus = oneOf(...jobStatuses)

async function detail(queue: Queue, id: string) {
  return jobDetailDocument(await queue.jobs.show(id), await queue.now())
}

export const jobRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/api/v1/jobs",
    access: "read",
    tag,
    summary: "List jobs, newest first",
    query: z.strictObject({
      status: z
        .string()
        .max(128)
        .optional()
        .meta({ description: `One or more of ${jobStatuses.join(", ")}, separated by commas` }),
      name: name.optional(),
      limit: pageSize.optional(),
      cursor: cursor.optional(),
    }),
    answer: z.object({ jobs: z.array(jobDocument), cursor: z.string().nullable() }),
    async handle({ query: { status, ...others }, queue }) {
      const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
      const statuses = status?.split(",").map((word): JobStatus => readStatus("status", word.trim()))
      const page = await queue.jobs.list({ ...given, ...(statuses ? { status: statuses } : {}) })
      return { jobs: page.jobs.map((job) => job.toJSON()), cursor: page.cursor }
    },
  }),
  route({
    method: "post",
    path: "/api/v1/jobs",
    access: "admin",
    tag,
    summary: "Submit many tasks as one job",
    details: `Up to 1000 tasks are one batch, all or none; up to ${mostTasks} in one call. An open job is added to later.`,
    body: z.strictObject({
      name,
      tasks: z.array(jobTaskBody).max(mostTasks),
      concurrency: z.int().nullable().optional(),
      failure_threshold: z.int().nullable().optional(),
      exempt_statuses: z.array(z.int()).max(600).optional(),
      cancel_after_throttles: z
        .union([z.boolean(), z.strictObject({ count: z.int().optional(), delay: z.string().optional() })])
        .optional(),
      open: z.boolean().optional(),
      on_complete: jobTaskBody.optional(),
    }),
    answer: jobDocument,
    status: 201,
    isAudited: true,
    async handle({ body, queue }) {
      const options = {
        ...(body.concurrency === undefined ? {} : { concurrency: body.concurrency }),
        ...(body.failure_threshold === undefined ? {} : { failureThreshold: body.failure_threshold }),
        ...(body.exempt_statuses === undefined ? {} : { exemptStatuses: body.exempt_statuses }),
        ...(body.cancel_after_throttles === undefined ? {} : { cancelAfterThrottles: body.cancel_after_throttles }),
        ...(body.open === undefined ? {} : { open: body.open }),
        ...(body.on_complete === undefined ? {} : { onComplete: jobTask(body.on_complete) }),
      } as JobOptions
      return (await queue.submitJob(body.name, body.tasks.map(jobTask), options)).toJSON()
    },
  }),
  route({
    method: "get",
    path: "/api/v1/jobs/{id}",
    access: "read",
    tag,
    summary: "One job with its gates and what runs: what holds it back",
    params: idParams,
    answer: jobDetail,
    handle: ({ params, queue }) => detail(queue, params.id),
  }),
  route({
    method: "post",
    path: "/api/v1/jobs/{id}/tasks",
    access: "admin",
    tag,
    summary: "Add tasks to a job that is open or has one running",
    params: idParams,
    body: z.strictObject({ tasks: z.array(jobTaskBody).min(1).max(mostTasks) }),
    answer: jobDocument,
    isAudited: true,
    handle: async ({ params, body, queue }) => (await queue.addToJob(params.id, body.tasks.map(jobTask))).toJSON(),
  }),
  route({
    method: "post",
    path: "/api/v1/jobs/{id}/cancel",
    access: "admin",
    tag,
    summary: "Cancel a job: what waits ends, what runs is asked to stop",
    params: idParams,
    body: z.strictObject({ reason: z.string().min(1).max(512).optional() }),
    answer: jobDocument,
    isAudited: true,
    handle: async ({ params, body, queue }) =>
      (await queue.jobs.cancel(params.id, body.reason === undefined ? {} : { reason: body.reason })).toJSON(),
  }),
  route({
    method: "post",
    path: "/api/v1/jobs/{id}/close",
    access: "admin",
    tag,
    summary: "Nobody outside adds more: the job completes with its last task",
    params: idParams,
    body: nothing,
    answer: jobDocument,
    isAudited: true,
    handle: async ({ params, queue }) => (await queue.jobs.close(params.id)).toJSON(),
  }),
  route({
    method: "post",
    path: "/api/v1/jobs/{id}/concurrency",
    access: "admin",
    tag,
    summary: "Let another number of its tasks run at once",
    params: idParams,
    body: z.strictObject({ concurrency: z.int() }),
    answer: jobDocument,
    isAudited: true,
    handle: async ({ params, body, queue }) => (await queue.jobs.setConcurrency(params.id, body.concurrency)).toJSON(),
  }),
]

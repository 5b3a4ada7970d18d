// Tasks: submit, look at, stop, run again.

import { z } from "zod"
import { SluiceError } from "../../errors/index.ts"
import { documentOf } from "../../queue/document.ts"
import type { ListOptions, Queue, Task } from "../../queue/index.ts"
import { taskNotFound } from "../../queue/refusals.ts"
import { budgets, type MoveResult } from "../../store/index.ts"
import { type Status, statuses } from "../../task/index.ts"
import { oneOf } from "../../units/index.ts"
import { withForecasts } from "../documents.ts"
import { jobTask, submitOptions } from "../options.ts"
import { redactTexts } from "../redact.ts"
import { type Route, route } from "../route.ts"
import {
  cursor,
  explanation,
  forecastDocument,
  historyItem,
  instant,
  name,
  pageSize,
  submitBody,
  submitted,
  taskDocument,
  taskId,
} from "../schemas.ts"

const tag = "tasks"
const idParams = z.strictObject({ id: taskId })

const filter = {
  status: z
    .string()
    .max(128)
    .optional()
    .meta({ description: `One or more of ${statuses.join(", ")}, separated by commas` }),
  task_type: name.optional(),
  tag: name.optional(),
  job: z.string().max(512).optional(),
  created_from: instant.optional(),
  created_before: instant.optional(),
}
const readStatus = oneOf(...statuses)

function listOptions(asked: { readonly [Name in keyof typeof filter]?: string | undefined }): ListOptions {
  const status = asked.status?.split(",").map((word): Status => readStatus("status", word.trim()))
  return {
    ...(status ? { status } : {}),
    ...(asked.task_type === undefined ? {} : { type: asked.task_type }),
    ...(asked.tag === undefined ? {} : { tag: asked.tag }),
    ...(asked.job === undefined ? {} : { job: asked.job }),
    ...(asked.created_from === undefined ? {} : { createdFrom: asked.created_from }),
    ...(asked.created_before === undefined ? {} : { createdBefore: asked.created_before }),
  }
}

async function found(queue: Queue, id: string): Promise<Task> {
  const task = await queue.get(id)
  if (task) return task
  throw taskNotFound(id)
}

const list = route({
  method: "get",
  path: "/api/v1/tasks",
  access: "read",
  tag,
  summary: "List tasks, newest first",
  details: "A page of up to 1000. Those that wait have their forecast where `forecast=true`, which costs a look at each.",
  query: z.strictObject({
    ...filter,
    limit: pageSize.optional(),
    cursor: cursor.optional(),
    forecast: z.enum(["true", "false"]).optional(),
  }),
  answer: z.object({ tasks: z.array(taskDocument), cursor: z.string().nullable() }),
  async handle({ query, queue }) {
    const { limit, cursor: after, forecast } = query
    const page = await queue.list({ ...listOptions(query), ...(limit ? { limit } : {}), ...(after === undefined ? {} : { cursor: after }) })
    const tasks = forecast === "true" ? await withForecasts(queue, page.tasks) : page.tasks.map((task) => task.toJSON())
    return { tasks, cursor: page.cursor }
  },
})

const submit = route({
  method: "post",
  path: "/api/v1/tasks",
  access: "admin",
  tag,
  summary: "Submit a task",
  details: "`warning` says so where it is expected to expire before it starts.",
  body: submitBody,
  answer: submitted,
  status: 201,
  isAudited: true,
  async handle({ body, queue }) {
    const task = await queue.submit(body.task_type, body.input ?? {}, submitOptions(body))
    return { ...task.toJSON(), warning: task.warning }
  },
})

const submitBatch = route({
  method: "post",
  path: "/api/v1/tasks/batch",
  access: "admin",
  tag,
  summary: "Submit many tasks, all or none",
  body: z.strictObject({ tasks: z.array(submitBody).min(1).max(budgets.submitTasks) }),
  answer: z.object({ tasks: z.array(submitted) }),
  status: 201,
  isAudited: true,
  async handle({ body, queue }) {
    const tasks = await queue.submitEach(body.tasks.map(jobTask))
    return { tasks: tasks.map((task) => ({ ...task.toJSON(), warning: task.warning })) }
  },
})

const get = route({
  method: "get",
  path: "/api/v1/tasks/{id}",
  access: "read",
  tag,
  summary: "One task, with its forecast while it waits",
  params: idParams,
  answer: taskDocument,
  handle: async ({ params, queue }) => (await found(queue, params.id)).toJSON(),
})

const history = route({
  method: "get",
  path: "/api/v1/tasks/{id}/history",
  access: "read",
  tag,
  summary: "What became of a task, version by version",
  params: idParams,
  answer: z.object({ history: z.array(historyItem) }),
  async handle({ params, queue, realm }) {
    const items = documentOf(await queue.history(params.id))
    return { history: redactTexts(realm.redact, (await found(queue, params.id)).toJSON(), items) }
  },
})

const explain = route({
  method: "get",
  path: "/api/v1/tasks/{id}/explain",
  access: "read",
  tag,
  summary: "Why a task has not started, and when it will",
  params: idParams,
  answer: explanation,
  async handle({ params, queue, realm }) {
    const explained = await queue.explain(params.id)
    return { ...(documentOf(explained) as object), text: redactTexts(realm.redact, explained.task.toJSON(), explained.text) }
  },
})

const forecast = route({
  method: "get",
  path: "/api/v1/tasks/{id}/forecast",
  access: "read",
  tag,
  summary: "When a task is expected to start",
  details: "`forecast` is null where it does not wait.",
  params: idParams,
  answer: z.object({ id: taskId, forecast: forecastDocument.nullable() }),
  handle: async ({ params, queue }) => ({ id: params.id, forecast: documentOf((await found(queue, params.id)).forecast) }),
})

const moves = {
  cancel: ["cancel", "Cancel a task: one that waits ends at once, one that runs is asked to stop"],
  retry: ["retry", "Run a failed or cancelled task again"],
  archive: ["archive", "Put a finished task away, beyond the reach of retention"],
  expire: ["markExpired", "Expire a task that waits, now"],
} as const

const oneByOne = Object.entries(moves).map(([move, [method, summary]]) =>
  route({
    method: "post",
    path: `/api/v1/tasks/{id}/${move}`,
    access: "admin",
    tag,
    summary,
    params: idParams,
    answer: taskDocument,
    isAudited: true,
    handle: async ({ params, queue }) => (await queue[method](params.id)).toJSON(),
  }),
)

const bulkBody = z.strictObject({
  ids: z.array(taskId).min(1).max(budgets.stepRows).optional(),
  filter: z
    .strictObject(filter)
    .optional()
    .meta({ description: "Those that match, newest first: up to 500 in one call; go on with the cursor" }),
  cursor: cursor.optional(),
})

const inBulk = (["cancel", "retry"] as const).map((move) =>
  route({
    method: "post",
    path: `/api/v1/tasks/${move}`,
    access: "admin",
    tag,
    summary: `${move === "cancel" ? "Cancel" : "Run again"} many tasks`,
    details:
      "By their ids, or by a filter: then the answer has a cursor until all were looked at. What cannot be changed is told by the result of each.",
    body: bulkBody,
    answer: z.object({
      results: z.array(z.object({ id: taskId, kind: z.enum(["ok", "illegal", "job_ended", "missing"]), status: z.string().nullable() })),
      changed: z.int(),
      cursor: z.string().nullable(),
    }),
    isAudited: true,
    async handle({ body, queue }) {
      const { ids, cursor: next } = await chosen(queue, move, body)
      const results = ids.length === 0 ? [] : await (move === "cancel" ? queue.cancelMany(ids) : queue.retryMany(ids))
      const told = results.map((result, i) => ({ id: ids[i] as string, kind: result.kind, status: statusAfter(result) }))
      return { results: told, changed: told.filter(({ kind }) => kind === "ok").length, cursor: next }
    },
  }),
)

/** A filter without statuses means those that the move makes sense for: others would be told to be illegal, by the thousand. */
const meant = { cancel: "pending,running", retry: "failed,cancelled" } as const

async function chosen(queue: Queue, move: keyof typeof meant, { ids, filter: by, cursor: from }: z.output<typeof bulkBody>) {
  if ((ids === undefined) === (by === undefined))
    throw new SluiceError("invalid_option", `tasks/${move}: expected ids or filter, got ${ids ? "both" : "neither"}`)
  if (ids) return { ids, cursor: null }
  const options = listOptions({ status: meant[move], ...by })
  const page = await queue.list({ ...options, limit: budgets.stepRows, ...(from === undefined ? {} : { cursor: from }) })
  return { ids: page.tasks.map(({ id }) => id), cursor: page.cursor }
}

function statusAfter(result: MoveResult): string | null {
  if (result.kind === "ok") return result.task.status
  return result.kind === "illegal" ? result.from : null
}

/** Those without a parameter stand before those with one in the same place. */
export const taskRoutes: readonly Route[] = [list, submit, submitBatch, ...inBulk, get, history, explain, forecast, ...oneByOne]

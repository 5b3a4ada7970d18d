// Schedules: make, look at, pause, resume, trigger, remove.

import { z } from "zod"
import { scheduleDocument } from "../../queue/document.ts"
import type { ScheduleOptions } from "../../queue/index.ts"
import { formatInstant } from "../../units/index.ts"
import { submitOptions } from "../options.ts"
import { nothing, type Route, route } from "../route.ts"
import { instant, name, scheduleDocument as schedule, scheduleBody, submitted } from "../schemas.ts"

const tag = "schedules"
const nameParams = z.strictObject({ name })

const changes = (["pause", "resume"] as const).map((word) =>
  route({
    method: "post",
    path: `/api/v1/schedules/{name}/${word}`,
    access: "admin",
    tag,
    summary: word === "pause" ? "Submit nothing until it is resumed" : "Go on from the next instant",
    params: nameParams,
    body: nothing,
    answer: schedule,
    isAudited: true,
    handle: async ({ params, queue }) => scheduleDocument(await queue.schedules[word](params.name)),
  }),
)

export const scheduleRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/api/v1/schedules",
    access: "read",
    tag,
    summary: "Every schedule, by name",
    answer: z.object({ schedules: z.array(schedule) }),
    handle: async ({ queue }) => ({ schedules: (await queue.schedules.list()).map(scheduleDocument) }),
  }),
  route({
    method: "get",
    path: "/api/v1/schedules/{name}",
    access: "read",
    tag,
    summary: "One schedule, with its next instants",
    params: nameParams,
    query: z.strictObject({ count: z.coerce.number().int().min(1).max(1_000).optional() }),
    answer: schedule.extend({ upcoming: z.array(instant) }),
    async handle({ params, query, queue }) {
      const found = await queue.schedules.get(params.name)
      const upcoming = await queue.schedules.upcoming(params.name, query.count === undefined ? {} : { count: query.count })
      return { ...scheduleDocument(found), upcoming: upcoming.map((at) => formatInstant(at.getTime())) }
    },
  }),
  route({
    method: "put",
    path: "/api/v1/schedules/{name}",
    access: "admin",
    tag,
    summary: "Make a schedule, or replace the one of that name",
    details: "The same again changes nothing, not even the instant that it stands at.",
    params: nameParams,
    body: scheduleBody,
    answer: schedule.extend({ change: z.enum(["created", "replaced", "unchanged"]) }),
    isAudited: true,
    async handle({ params, body, queue }) {
      const options = {
        ...submitOptions(body),
        ...(body.timezone === undefined ? {} : { timezone: body.timezone }),
        ...(body.catch_up === undefined ? {} : { catchUp: body.catch_up }),
      } as ScheduleOptions
      const saved = await queue.schedule(params.name, body.cron, options, body.task_type, body.input ?? {})
      return { ...scheduleDocument(saved), change: saved.change }
    },
  }),
  ...changes,
  route({
    method: "post",
    path: "/api/v1/schedules/{name}/trigger",
    access: "admin",
    tag,
    summary: "One of its tasks now, apart from its instants",
    params: nameParams,
    body: nothing,
    answer: submitted,
    status: 201,
    isAudited: true,
    async handle({ params, queue }) {
      const task = await queue.schedules.trigger(params.name)
      return { ...task.toJSON(), warning: task.warning }
    },
  }),
  route({
    method: "delete",
    path: "/api/v1/schedules/{name}",
    access: "admin",
    tag,
    summary: "Remove a schedule; its tasks stay",
    params: nameParams,
    answer: schedule,
    isAudited: true,
    handle: async ({ params, queue }) => scheduleDocument(await queue.schedules.remove(params.name)),
  }),
]

// Limits and their gates: look at, set, pause, resume, close, reset, and what they have learned.

import { z } from "zod"
import { documentOf } from "../../queue/document.ts"
import type { LimitTarget, PolicyOptions, Queue, TeachOptions } from "../../queue/index.ts"
import { parseUntil, untilFrom } from "../../queue/until.ts"
import { gateDocument, limitDocument } from "../documents.ts"
import { type Asked, type Route, route } from "../route.ts"
import { changeDocument, cursor, gateDocument as gate, instant, key, limitDocument as limit, name, pageSize, until } from "../schemas.ts"

const tag = "limits"
const nameParams = z.strictObject({ name })
const target = { key: key.optional().meta({ description: "One gate; the limit as a whole if not given" }) }

type OfTarget = { readonly body: { readonly key?: string | undefined }; readonly by: string }

function targetOf({ body, by }: OfTarget): LimitTarget {
  return { by, ...(body.key === undefined || body.key === "" ? {} : { key: body.key }) }
}

async function untilOf(queue: Queue, value: string): Promise<Date> {
  return untilFrom("until", parseUntil("until", value), await queue.now())
}

/** What a change of a limit is answered with: the limit as it is then. */
function change<Body extends z.ZodType<{ key?: string | undefined }>>(
  word: string,
  summary: string,
  body: Body,
  apply: (asked: Asked<{ name: string }, unknown, z.output<Body>>, target: LimitTarget) => Promise<unknown>,
): Route {
  return route({
    method: "post",
    path: `/api/v1/limits/{name}/${word}`,
    access: "admin",
    tag,
    summary,
    params: nameParams,
    body,
    answer: limit,
    isAudited: true,
    async handle(asked) {
      await apply(asked as never, targetOf(asked as OfTarget))
      return limitDocument(asked.queue, await asked.queue.limits.get(asked.params.name))
    },
  })
}

const courses = z
  .record(z.string(), z.array(z.object({ at: instant, every_ms: z.number().nullable() })))
  .meta({ description: "How the distance between starts that gates have learned went in the last hour: from each time on" })

const alone = z.strictObject(target)
const rate = z.union([
  z.string().max(64),
  z.strictObject({ limit: z.int(), per: z.string().max(64), provider: z.string().max(16).optional(), burst: z.int().optional() }),
])

export const limitRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/api/v1/limits",
    access: "read",
    tag,
    summary: "Every limit, with what the code says and what was set",
    answer: z.object({ limits: z.array(limit) }),
    handle: async ({ queue }) => ({ limits: await Promise.all((await queue.limits.list()).map((one) => limitDocument(queue, one))) }),
  }),
  route({
    method: "get",
    path: "/api/v1/limits/changes",
    access: "read",
    tag,
    summary: "What was changed about limits, newest first",
    query: z.strictObject({ limit: name.optional(), before: z.coerce.number().int().optional(), count: pageSize.optional() }),
    answer: z.object({ changes: z.array(changeDocument) }),
    async handle({ query, queue }) {
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      return { changes: documentOf(await queue.limits.history(given)) }
    },
  }),
  route({
    method: "get",
    path: "/api/v1/limits/{name}",
    access: "read",
    tag,
    summary: "One limit",
    params: nameParams,
    answer: limit,
    handle: async ({ params, queue }) => limitDocument(queue, await queue.limits.get(params.name)),
  }),
  route({
    method: "get",
    path: "/api/v1/limits/{name}/gates",
    access: "read",
    tag,
    summary: "The gates of a limit, by key: level, slots, cooldown, what was learned, who waits",
    params: nameParams,
    query: z.strictObject({ key: key.optional(), limit: pageSize.optional(), cursor: cursor.optional() }),
    answer: z.object({ gates: z.array(gate), cursor: z.string().nullable(), courses }),
    async handle({ params, query, queue, realm }) {
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const page = await queue.limits.gates(params.name, given)
      return { gates: page.gates.map(gateDocument), cursor: page.cursor, courses: realm.watcher.courses.of(params.name) }
    },
  }),
  change(
    "set",
    "Set a rate or a concurrency instead of what the code says",
    z.strictObject({
      ...target,
      rate: z.union([rate, z.array(rate).max(8)]).optional(),
      concurrency: z.int().optional(),
      until: until.optional(),
    }),
    async ({ params, body, queue }, who) => {
      const policy = {
        ...(body.rate === undefined ? {} : { rate: body.rate }),
        ...(body.concurrency === undefined ? {} : { concurrency: body.concurrency }),
      }
      const end = body.until === undefined ? {} : { until: await untilOf(queue, body.until) }
      return queue.limits.set(params.name, policy as PolicyOptions, { ...who, ...end })
    },
  ),
  change("pause", "Let nothing pass until it is resumed", alone, ({ params, queue }, who) => queue.limits.pause(params.name, who)),
  change("resume", "Let tasks pass again", alone, ({ params, queue }, who) => queue.limits.resume(params.name, who)),
  change("close", "Let nothing pass until a time", z.strictObject({ ...target, until }), async ({ params, body, queue }, who) =>
    queue.limits.close(params.name, { ...who, until: await untilOf(queue, body.until) }),
  ),
  change("reset", "Back to what the code says: no override, no pause, no closing, no cooldown", alone, ({ params, queue }, who) =>
    queue.limits.reset(params.name, who),
  ),
  change(
    "teach",
    "Tell a gate what it should have learned",
    z.strictObject({
      ...target,
      delay: z.string().max(64).optional(),
      floor: z.string().max(64).optional(),
      rate: z.string().max(64).optional(),
    }),
    ({ params, body: { key: _key, ...what }, queue }, who) => queue.limits.teach(params.name, what as TeachOptions, who),
  ),
  change("forget", "Forget what was learned: of one gate, or of all", alone, ({ params, queue }, who) =>
    queue.limits.forget(params.name, who),
  ),
]

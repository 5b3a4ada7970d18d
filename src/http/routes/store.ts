// The store itself, for whoever connects by this server: the operations of the contract one to one, as they are in
// docs/internals/contract.md. `wait` is a long poll on the number of news that every answer here tells in its header.

import { z } from "zod"
import { type Operation, operations } from "../../store/index.ts"
import { type Route, route } from "../route.ts"
import { operationSchemas } from "../store-schemas.ts"

const tag = "store"
const longestWaitMs = 60_000
/** One that knows the news of another server is told soon, whatever happens. */
const strangerWaitMs = 1_000

/** What people do through a program of theirs. */
const audited: ReadonlySet<Operation> = new Set([
  "submit",
  "cancel",
  "retry",
  "archive",
  "expire",
  "changeJob",
  "changeLimit",
  "saveSchedule",
  "changeSchedule",
])

const operationRoutes = operations.map((operation: Operation) =>
  route({
    method: "post",
    path: `/api/v1/store/${operation}`,
    access: "admin",
    tag,
    summary: `The operation ${operation} of the store contract`,
    body: operationSchemas[operation],
    answer: z.record(z.string(), z.unknown()),
    isAudited: audited.has(operation),
    handle: ({ body, queue }) => (queue.store[operation] as (request: unknown) => Promise<unknown>)(body),
  }),
)

const wait = route({
  method: "post",
  path: "/api/v1/store/wait",
  access: "admin",
  tag,
  summary: "Answers when something may have become claimable or cancelled since the news that are known",
  body: z.strictObject({ instance: z.string().max(64), since: z.int().min(0), timeoutMs: z.int().min(0).max(longestWaitMs) }),
  answer: z.object({ instance: z.string(), news: z.int() }),
  async handle({ body, realm, signal }) {
    const { news } = realm.watcher
    if (body.instance === news.instance) await news.past(body.since, body.timeoutMs, signal)
    else await news.past(news.count, Math.min(strangerWaitMs, body.timeoutMs), signal)
    return { instance: news.instance, news: news.count }
  },
})

export const storeRoutes: readonly Route[] = [...operationRoutes, wait]

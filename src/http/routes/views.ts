// What a person looks at first: counts, the overview, where tasks wait, what the store is, and the stream of what changes.

import { z } from "zod"
import { SluiceError } from "../../errors/index.ts"
import { formatInstant } from "../../units/index.ts"
import { forecastsOf } from "../forecasts.ts"
import { waitingReasons } from "../overview.ts"
import { type Route, route } from "../route.ts"
import { counts, gateDocument as gate, instant, name } from "../schemas.ts"
import { type Topic, topics } from "../watcher.ts"

const tag = "views"
const count = z.int().min(0)

const sample = z.object({
  at: instant,
  waiting: count,
  running: count,
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  expired: z.number(),
})

const overview = route({
  method: "get",
  path: "/api/v1/overview",
  access: "read",
  tag,
  summary: "The state at a glance, with samples of the last hour",
  details:
    "Samples are taken every 10 seconds, oldest first; what ended is per second. `waiting_by_reason` is exact up to 200 waiting tasks, beyond that an estimate from 200 of them.",
  answer: z
    .object({
      now: instant,
      namespace: z.string(),
      store: z.string(),
      counts,
      waiting_by_reason: z.object(Object.fromEntries(waitingReasons.map((one) => [one, count]))),
      is_estimate: z.boolean(),
      oldest_waiting: z.object({ id: z.string(), task_type: name, since: instant, seconds: z.number() }).nullable(),
      live_workers: count,
      samples: z.array(sample),
    })
    .meta({ id: "Overview" }),
  handle: ({ realm }) => realm.watcher.overview(),
})

const countsRoute = route({
  method: "get",
  path: "/api/v1/counts",
  access: "read",
  tag,
  summary: "How many tasks there are in each status",
  query: z.strictObject({ task_type: name.optional() }),
  answer: counts,
  handle: ({ query, queue }) => queue.counts(query.task_type === undefined ? {} : { type: query.task_type }),
})

const mostGates = 100

const forecast = route({
  method: "get",
  path: "/api/v1/forecast",
  access: "read",
  tag,
  summary: "Where tasks wait, when it opens there, and how good forecasts were",
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(mostGates).optional() }),
  answer: z.object({
    limits: z.array(z.object({ name, waiting_tasks: count, gates: z.array(gate), has_more: z.boolean() })),
    errors: z.array(z.object({ task_type: name, count, p50_below_ms: z.number(), p99_below_ms: z.number() })),
  }),
  handle: ({ query, queue }) => forecastsOf(queue, query.limit ?? 20),
})

const describe = route({
  method: "get",
  path: "/api/v1/describe",
  access: "read",
  tag,
  summary: "The store: its kind, its namespace, what it survives",
  answer: z.object({
    kind: z.string(),
    namespace: z.string(),
    durability: z.string(),
    facts: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  handle: ({ queue }) => queue.describe(),
})

const session = route({
  method: "get",
  path: "/api/v1/session",
  access: "read",
  tag,
  summary: "Who asks and what they may do; the namespace, and the time by the store's clock",
  answer: z
    .object({ role: z.enum(["admin", "read"]), needs_token: z.boolean(), now: instant, namespace: z.string(), store: z.string() })
    .meta({ id: "Session" }),
  async handle({ role, needsToken, realm, queue }) {
    const now = formatInstant((await queue.now()).getTime())
    return { role, needs_token: needsToken, now, namespace: realm.namespace, store: queue.store.kind }
  },
})

const mostOfInterest = 100

const list = (most: number) =>
  z
    .string()
    .max(16_384)
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(z.string().max(512)).max(most))

const events = route({
  method: "get",
  path: "/api/v1/events",
  access: "read",
  tag,
  summary: "A stream of what changes",
  details: `text/event-stream, to be read with fetch: tokens are sent in a header. Each event has the whole document, at once for what is known and then whenever it has changed: \`counts\`, \`overview\`, \`limits\`, \`jobs\`, \`schedules\`, \`workers\` (as \`topics\` says), and for the ids that are named \`task\`, \`job\` and \`gates\` as {"id", "value"}, where null means that there is none.`,
  query: z.strictObject({
    topics: list(topics.length)
      .optional()
      .meta({ description: `Of ${topics.join(", ")}; counts if not given` }),
    tasks: list(mostOfInterest).optional().meta({ description: "Ids of tasks" }),
    jobs: list(mostOfInterest).optional().meta({ description: "Ids of jobs" }),
    limits: list(mostOfInterest).optional().meta({ description: "Names of limits: their gates, up to 200 of each" }),
  }),
  answer: null,
  media: "text/event-stream",
  async handle({ query }) {
    const wanted = query.topics ?? ["counts"]
    const unknown = wanted.find((one) => !(topics as readonly string[]).includes(one))
    if (unknown !== undefined)
      throw new SluiceError("invalid_option", `topics: expected ${topics.join(", ")}, got ${JSON.stringify(unknown)}`)
    return { topics: new Set(wanted as Topic[]), tasks: query.tasks ?? [], jobs: query.jobs ?? [], limits: query.limits ?? [] }
  },
})

export const viewRoutes: readonly Route[] = [session, overview, countsRoute, forecast, describe, events]
/** It has no answer but a stream: the app makes it from what the route says is of interest. */
export const eventsPath = events.path

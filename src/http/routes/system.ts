// About the server itself: whether it lives, and what it can be asked.

import { z } from "zod"
import { metricsType } from "../metrics/index.ts"
import { type Route, route } from "../route.ts"

const tag = "server"

export const systemRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/healthz",
    access: "anyone",
    tag,
    summary: "Whether the server answers, and its store",
    answer: z.object({ ok: z.literal(true) }),
    async handle({ queue }) {
      await queue.now()
      return { ok: true }
    },
  }),
  route({
    method: "get",
    path: "/metrics",
    access: "read",
    tag,
    summary: "Metrics for Prometheus",
    details:
      "Those of the store, and those of the process that serves, with what workers do through `exchange`; workers of Sluice in other processes have their own.",
    answer: null,
    media: metricsType,
    handle: ({ realm }) => realm.metrics.text(),
  }),
  route({
    method: "get",
    path: "/openapi.json",
    access: "read",
    tag,
    summary: "This API as an OpenAPI 3.1 document",
    answer: z.record(z.string(), z.unknown()),
    // Imported when it is asked for: the document is made from the table that this route is in.
    handle: async () => (await import("../openapi.ts")).openApi(),
  }),
]

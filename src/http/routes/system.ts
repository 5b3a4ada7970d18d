// About the server itself: whether it lives, and what it can be asked.

import { z } from "zod"
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
    path: "/openapi.json",
    access: "read",
    tag,
    summary: "This API as an OpenAPI 3.1 document",
    answer: z.record(z.string(), z.unknown()),
    // Imported when it is asked for: the document is made from the table that this route is in.
    handle: async () => (await import("../openapi.ts")).openApi(),
  }),
]

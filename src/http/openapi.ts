// The OpenAPI document, written from the table of routes: the schemas that requests are checked by are those that it shows.

import { z } from "zod"
import type { Route } from "./route.ts"
import { routes } from "./routes/index.ts"
import { errorDocument } from "./schemas.ts"

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly description?: string
}

type Document = Readonly<Record<string, unknown>>

let made: Document | null = null

export function openApi(): Document {
  made ??= makeDocument()
  return made
}

function makeDocument(): Document {
  const components: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] as object, { [route.method]: operation(route, components) })
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1",
      description: "A durable task queue in which rate limits are first-class. Documents are those of the command line's --json.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  }
}

function operation(route: Route, components: Record<string, unknown>): Document {
  const schema = (type: z.ZodType) => schemaOf(type, components)
  const { access, details } = route
  const needs = { anyone: "Needs no token.", read: "Needs a token that may look.", admin: "Needs a token that may change something." }[
    access
  ]
  const media = route.media ?? "application/json"
  const content = { [media]: { schema: route.answer ? schema(route.answer) : { type: "string" } } }
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: details === undefined ? needs : `${details} ${needs}`,
    ...(access === "anyone" ? { security: [] } : {}),
    parameters: [...parameters("path", route.params, schema), ...parameters("query", route.query, schema), namespaceParameter],
    ...(route.body ? { requestBody: { required: true, content: { "application/json": { schema: schema(route.body) } } } } : {}),
    responses: {
      [route.status ?? 200]: { description: "It was done", content },
      default: { description: "It was not", content: { "application/json": { schema: schema(errorDocument) } } },
    },
  }
}

const namespaceParameter = {
  name: "Sluice-Namespace",
  in: "header",
  required: false,
  description: "A namespace other than the server's, where it serves any",
  schema: { type: "string" },
}

function parameters(place: "path" | "query", type: z.ZodType | undefined, schema: (type: z.ZodType) => unknown): readonly Document[] {
  if (!type) return []
  const { properties = {}, required = [] } = schema(type) as JsonSchema
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }))
}

/** Those with an id stand among the components, once. What is asked is shown as it is sent, before it is read. */
function schemaOf(type: z.ZodType, components: Record<string, unknown>): unknown {
  const {
    $schema: _schema,
    $defs: defs,
    ...schema
  } = z.toJSONSchema(type, { io: "input", unrepresentable: "any", target: "draft-2020-12" }) as Record<string, unknown>
  for (const [id, one] of Object.entries((defs ?? {}) as Record<string, unknown>)) components[id] = moved(one)
  const { id } = type.meta() ?? {}
  if (typeof id !== "string") return moved(schema)
  const { id: _id, ...body } = moved(schema) as Record<string, unknown>
  components[id] = body
  return { $ref: `#/components/schemas/${id}` }
}

function moved(schema: unknown): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === "id" && typeof value === "string" ? undefined : value))
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as unknown
}

/** "getTasksById", "postTasksCancel". */
export function operationId({ method, path }: Pick<Route, "method" | "path">): string {
  const words = path.replace(/^\/api\/v1/, "").split(/[^A-Za-z0-9{}]+/)
  const named = words
    .filter((word) => word !== "")
    .map((word) => (word.startsWith("{") ? `By${capital(word.slice(1, -1))}` : capital(word)))
  return `${method}${named.join("")}`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

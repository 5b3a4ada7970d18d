// docs/reference/http.md, written from the table of routes. A test compares; `npm run --silent reference:http` writes it.

import type { z } from "zod"
import { openApi } from "./openapi.ts"
import type { Route } from "./route.ts"
import { routes } from "./routes/index.ts"

interface Told {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
}

const heading = `# HTTP API

Written from the table of routes; the document at \`/openapi.json\` has the schemas. A token goes in \`Authorization: Bearer …\`: *read* needs any, *admin* the one that may change something; a server
without tokens asks for none. What is no GET is sent as \`Content-Type: application/json\`, also without a body. Lists have \`limit\` and \`cursor\`. Every route takes the header \`Sluice-Namespace\`, where the server serves
any. [Guide](../guides/server.md), [how it works](../internals/http.md).

A \`*\` marks what has to be given. Errors are \`{"error": {"code", "message", "retryable"}}\` with the status that belongs to the code.
`

export function referencePage(): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))]
  return [
    heading,
    ...tags.map((tag) =>
      section(
        tag,
        routes.filter((route) => route.tag === tag),
      ),
    ),
  ].join("\n")
}

function section(tag: string, own: readonly Route[]): string {
  const rows = own.map(
    (route) => `| \`${route.method.toUpperCase()} ${route.path}\` | ${route.access} | ${takes(route)} | ${text(route)} |`,
  )
  return [`## ${tag}`, "", "| route | token | takes | what it does |", "|---|---|---|---|", ...rows, ""].join("\n")
}

function takes(route: Route): string {
  const { paths } = openApi() as { paths: Record<string, Record<string, Told>> }
  const query = (paths[route.path]?.[route.method]?.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => `\`${name}\``)
  const body = route.tag === "store" && !route.path.endsWith("/wait") ? ["the request of the contract"] : fieldsOf(route.body)
  return [...(query.length > 0 ? [`query ${query.join(", ")}`] : []), ...(body.length > 0 ? [`body ${body.join(", ")}`] : [])].join("; ")
}

function fieldsOf(schema: z.ZodType | undefined): string[] {
  const shape = (schema as { shape?: Record<string, z.ZodType> } | undefined)?.shape
  return Object.entries(shape ?? {}).map(([name, type]) => `\`${name}\`${type.safeParse(undefined).success ? "" : "*"}`)
}

function text({ summary, details }: Route): string {
  return (details === undefined ? `${summary}.` : `${summary}. ${details}`).replaceAll("|", "\\|")
}

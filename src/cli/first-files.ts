// What `sluice init` writes: the smallest program that has a limit, in three files. A test runs them as they are.

const limits = `// What the other side allows. Any number of tasks can share a limit.

import { defineLimit } from "sluice"

/** Two in any second and two at once, for each host, over all workers. */
export const api = defineLimit("api", { rate: "2/1s", concurrency: 2 })
`

const tasks = `// What there is to do. Run by: npx sluice work tasks.ts

import { defineTask } from "sluice"
import { api } from "./limits.ts"

export const callApi = defineTask("call_api", {
  limits: (input: { url: string }) => [api(new URL(input.url).host)],
  timeout: "30s",
  maxRetries: 3,
  run: async (input: { url: string }, ctx) => {
    // Told "too fast", the gate closes for as long as the other side asks, and the task keeps its place.
    const response = await ctx.fetch(input.url)
    if (!response.ok) throw new Error(\`\${input.url} answered \${response.status}\`)
    return response.json()
  },
})
`

const submit = `// Submits five tasks and says when each will start. Run by: npx jiti submit.ts https://your.api/path

import { connect } from "sluice"
import { callApi } from "./tasks.ts"

const url = process.argv[2] ?? "https://api.example.com/orders"
const queue = await connect(process.env.SLUICE_STORE || "sqlite:./sluice.db")
const submitted = await queue.submitMany(callApi, Array.from({ length: 5 }, () => ({ url })))
for (const task of submitted) {
  const waitMs = Number(task.estimatedStartAt) - Number(task.createdAt)
  console.log(\`\${task.id}  \${waitMs > 0 ? \`may start in \${waitMs / 1000} s\` : "may start now"}\`)
}
await queue.close()
`

export const firstFiles: Readonly<Record<string, string>> = { "limits.ts": limits, "tasks.ts": tasks, "submit.ts": submit }

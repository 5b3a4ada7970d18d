// The table at the end of `npm start -- --exit`: for each story what became of its tasks, the 429s that the provider answered, how long it
// took against what the limits allow, and how far forecasts at submission were from the true start.

import type { Queue, Task } from "sluice"
import type { Provider } from "../provider/start.ts"
import { type Story, stories } from "./stories.ts"

/** False where a limit was exceeded. */
export async function tellRound(queue: Queue, provider: Provider): Promise<boolean> {
  const { types: errors } = await queue.forecastErrors()
  const rows = await Promise.all(stories.map((story) => rowOf(story, queue, provider, errors)))
  const head = ["", "tasks", "ended as", "429s", "of them ours", "took", "ideal", "forecasts off by"]
  const table = [head, ...rows.map(({ cells }) => cells)]
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  console.log("")
  for (const row of table) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd())
  console.log(`
  of them ours: where the limit was declared, 429s that nobody else has caused ("-": nobody had told it)
  ideal: the least time that the limits allow; forecasts off by: half of them by less than this`)
  const isSound = rows.every((row) => row.isSound)
  console.log(isSound ? "\nNo limit was exceeded." : "\nA limit was exceeded.")
  return isSound
}

type Errors = Awaited<ReturnType<Queue["forecastErrors"]>>["types"]

async function rowOf({ name, tasks: [counted], routes, byOthers, idealMs }: Story, queue: Queue, provider: Provider, errors: Errors) {
  const { tasks } = await queue.list({ type: counted.type, limit: 1_000 })
  const refused = await Promise.all(Object.keys(routes).map(async (route) => ({ route, count: (await provider.seen(route)).refused })))
  const declared = refused.filter(({ route }) => byOthers[route] !== undefined)
  const ours = declared.reduce((sum, { route, count }) => sum + count - (byOthers[route] ?? 0), 0)
  const buckets = errors.find(({ type }) => type === counted.type)?.buckets ?? {}
  const cells = [
    name,
    String(tasks.length),
    endsOf(tasks),
    String(refused.reduce((sum, { count }) => sum + count, 0)),
    declared.length === 0 ? "-" : String(ours),
    seconds(tookMs(tasks)),
    seconds(idealMs),
    halfBelow(buckets),
  ]
  return { cells, isSound: ours === 0 }
}

function endsOf(tasks: readonly Task[]): string {
  const counts = new Map<string, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(", ")
}

/** By the store's clock: from the first submission to the last start that led somewhere. */
function tookMs(tasks: readonly Task[]): number {
  const ends = tasks.filter(({ startedAt }) => startedAt !== null).map((task) => task.updatedAt.getTime())
  return Math.max(...ends) - Math.min(...tasks.map(({ createdAt }) => createdAt.getTime()))
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function halfBelow(buckets: Readonly<Record<number, number>>): string {
  const sorted = Object.entries(buckets).sort(([a], [b]) => Number(a) - Number(b))
  let left = sorted.reduce((sum, [, count]) => sum + count, 0) / 2
  for (const [bucket, count] of sorted) {
    left -= count
    if (left <= 0) return `${2 ** Number(bucket)} ms`
  }
  return "-"
}

// `npm start`: a worker on the tasks beside this file, some submissions, and what becomes of them. With --exit it ends when
// everything is done; without, it goes on working until Ctrl-C, on whatever is submitted meanwhile.

import { fileURLToPath } from "node:url"
import { connect } from "../../dist/index.js"
import { loadTasks } from "../../dist/worker/index.js"

const exits = process.argv.includes("--exit")
const url = process.env.SLUICE_STORE ?? "sqlite:./sluice.db"
const tasks = await loadTasks(fileURLToPath(new URL("./tasks.ts", import.meta.url)))
const byType = Object.fromEntries(tasks.map((task) => [task.type, task]))
const queue = await connect(url)
const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort())

console.log(`Sluice on ${url}\n`)
const submitted = [
  ...(await queue.submitMany(
    byType.call_api,
    ["/orders", "/invoices", "/stock"].map((path) => ({ url: `https://api.example.com${path}` })),
  )),
  await queue.submit(byType.send_email, { to: "ada@example.com" }),
  await queue.submit(byType.send_reminder, { user: "grace" }, { delay: "2s", ttl: "1h" }),
  await queue.submit(byType.send_reminder, { user: "too-late" }, { ttl: 0 }),
  ...(await queue.submitMany(
    byType.add_role,
    ["ada", "grace", "edsger", "barbara", "tony"].map((member) => ({ guild: "guild-7", member })),
  )),
]
for (const task of submitted) {
  const waitMs = (task.estimatedStartAt ?? task.createdAt).getTime() - task.createdAt.getTime()
  const starts = waitMs > 0 ? `, starts in ${(waitMs / 1_000).toFixed(1)} s` : ""
  console.log(`submitted    ${task.id}  ${task.type.padEnd(14)} ${task.status}${starts}`)
}
console.log(`\n${(await queue.explain(submitted.at(-1).id)).text}\n`)

const left = new Set(submitted.filter((task) => task.status === "pending").map((task) => task.id))
const worker = queue.worker(tasks)
worker.on("task.settled", ({ id, type, outcome, status, error }) => {
  console.log(`${outcome.padEnd(13)}${id}  ${type.padEnd(14)} ${status}${error ? `  (${error})` : ""}`)
  if (status !== "pending") left.delete(id)
  if (exits && left.size === 0) stop.abort()
})
await worker.run({ signal: stop.signal, concurrency: 10 })

console.log("\nThe history of one of them:")
for (const { text } of await queue.history(submitted[0].id)) console.log(`  ${text}`)
const counts = await queue.counts()
console.log(
  `\n${Object.entries(counts)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")}`,
)
await queue.close()
if (exits && left.size > 0) process.exitCode = 1

// A queue with an hour behind it, for the pictures of the dashboard: in virtual time and by a seed, so that they are the same each time.
// From then on its time goes with the real one, and the server shows it as any other.

import { serve } from "../../dist/http/index.js"
import { connect, defineLimit, defineTask, RateLimitError } from "../../dist/index.js"
import { VirtualWorld } from "../../dist/testing/index.js"
import { sleep } from "../../dist/world/index.js"

const world = new VirtualWorld({ seed: 7, startMs: Date.UTC(2026, 0, 28, 9, 0, 0) })
const hourMs = 3_600_000
const stepMs = 50

const vendor = defineLimit("vendor-api", { rate: "60/1m", concurrency: 5 })
const discord = defineLimit("discord-roles", { rate: "10/10s" })
const llm = defineLimit("llm", { rate: ["40/1m", "5/1s"], concurrency: 8 })
const crawl = defineLimit("crawl", { concurrency: 2, adaptive: { preset: "linear", step: "500ms", max: "60s", probeAfter: 20 } })

/** What the other side allows: one start in so many milliseconds, by domain. */
const allowedMs = { "shop.example": 1_800, "news.example": 3_300, "docs.example": 900 }
const lastMs = new Map()

const works = (type, limits, ms, outcome) =>
  defineTask(type, {
    limits,
    maxRetries: 1,
    run: async (input) => {
      await sleep(world, ms * (0.5 + world.random()))
      return outcome(input)
    },
  })

const tasks = {
  call: works(
    "call_api",
    (i) => [vendor(i.host)],
    1_400,
    ({ order }) => ({ order, status: "shipped", lines: 3 }),
  ),
  role: works(
    "add_role",
    (i) => [discord(i.guild)],
    600,
    ({ member }) => {
      if (world.random() < 0.02) throw new Error(`${member} is no member of this guild any more (404)`)
      return { added: true }
    },
  ),
  summarise: works("summarise", [llm()], 5_200, ({ document }) => ({ document, text: "The quarter went as planned.", tokens: 412 })),
  fetchPage: works(
    "fetch_page",
    (i) => [crawl(i.domain)],
    700,
    ({ domain, page }) => {
      const sinceMs = world.wallMs() - (lastMs.get(domain) ?? 0)
      lastMs.set(domain, world.wallMs())
      if (sinceMs < allowedMs[domain]) throw new RateLimitError({ retryAfter: "4s", status: 429, limit: "crawl" })
      return { page, bytes: 4_211 }
    },
  ),
  remind: works("send_reminder", [], 60, () => ({ sent: true })),
}

const documents = (count, name) => some(count, (i) => ({ task: tasks.summarise, input: { document: `${name}-${i}` } }))
const some = (count, make) => Array.from({ length: count }, (_, i) => make(i))

const hosts = ["api.example.com", "eu.example.com", "orders.example.com"]
const domains = Object.keys(allowedMs)
const stepsOfMinute = 6

/** Arrivals of ten seconds: a steady stream with some chance in it, and a wave in the middle of the hour. */
async function arrive(queue, minute) {
  const wave = 1 + 1.1 * Math.exp(-(((minute - 32) / 9) ** 2))
  const about = (perMinute) => Math.round(((perMinute * wave) / stepsOfMinute) * (0.8 + 0.4 * world.random()))
  const any = (list) => list[Math.floor(world.random() * list.length)]
  const number = () => Math.floor(world.random() * 10_000)
  await queue.submitMany(
    tasks.call,
    some(about(96), () => ({ host: any(hosts), order: number() })),
    { tags: [`tenant-${Math.floor(minute) % 5}`] },
  )
  await queue.submitMany(
    tasks.role,
    some(about(230), () => ({ guild: `guild-${Math.floor(world.random() * 7)}`, member: `user-${number()}` })),
  )
  await queue.submitMany(
    tasks.fetchPage,
    some(about(62), () => ({ domain: any(domains), page: number() })),
  )
}

export async function startDemo() {
  const queue = await connect("memory:", { world, namespace: "shop" })
  const server = await serve(queue, { port: 0 })
  const stop = new AbortController()
  const all = Object.values(tasks)
  const workers = [
    queue.worker(all, { id: "worker-eu-1" }),
    queue.worker(all, { id: "worker-eu-2" }),
    queue.worker([tasks.call, tasks.role], { id: "worker-us-1" }),
  ]
  const running = workers.map((worker) => worker.run({ concurrency: 12, signal: stop.signal }))
  await queue.schedule("nightly-report", "0 3 * * *", { timezone: "Europe/Vienna" }, tasks.remind, { user: "finance" })
  await queue.schedule("heartbeat", "*/5 * * * *", {}, tasks.remind, { user: "ops" })
  await queue.schedule("weekly-digest", "30 8 * * 1", { timezone: "America/New_York" }, tasks.remind, { user: "all" })
  for (let step = 0; step < 60 * stepsOfMinute; step++) {
    const minute = step / stepsOfMinute
    if (minute === 20) await queue.submitJob("contracts-2025", documents(400, "contract"))
    if (minute === 48) await queue.submitJob("nightly-summaries", documents(700, "report"), { concurrency: 6 })
    if (minute % 10 === 0)
      await queue.submitMany(
        tasks.remind,
        some(12, (i) => ({ user: `user-${i}` })),
        { delay: "25m", ttl: "1h" },
      )
    await arrive(queue, minute)
    await world.advance(hourMs / 60 / stepsOfMinute)
  }
  await queue.schedules.pause("weekly-digest")
  await queue.limits.set("discord-roles", { rate: "5/10s" }, { key: "guild-3", by: "ada" })
  await queue.limits.pause("vendor-api", { key: "eu.example.com", by: "grace" })
  await queue.submit("import_csv", { file: "orders-2026-01.csv" })
  await arrive(queue, 60)
  await world.advance(12_000)
  const timer = setInterval(() => void world.advance(stepMs), stepMs)
  return {
    queue,
    url: server.url,
    async close() {
      clearInterval(timer)
      stop.abort()
      for (let waited = 0; waited < 60 && world.armedTimers > 0; waited++) await Promise.race([Promise.all(running), world.advance(1_000)])
      void server.close()
    },
  }
}

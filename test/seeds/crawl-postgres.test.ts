// The fifth seed on Postgres: what was learned of a domain stands in a table that people can read, outlives the server, and is one for all
// processes.

import { deepEqual, equal } from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { testQueue } from "../../src/testing/index.ts"
import { startPostgres, type TestPostgres } from "../engines/postgres.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { closeForAMoment, crawler, Domain, gateOf, nextRequest, requests } from "./crawl.ts"
import { crawlByFour } from "./crawl-processes.ts"
import { withOwnNews } from "./own-news.ts"
import { PatientWorld } from "./patient-world.ts"

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.remove())

const linear = { probeAfter: 3, floorDecay: "30d" } as const

async function open(startMs?: number) {
  const domain = await Domain.open(startMs, PatientWorld)
  const world = domain.world as PatientWorld
  const page = crawler(domain.url, 4, linear)
  const queue = await testQueue([page], { world, store: server.url, through: (store) => withOwnNews(world.through(store)) })
  return { domain, page, queue }
}

async function rows(text: string) {
  const admin = await postgresAdmin(server.url)
  try {
    return await admin.rows(text)
  } finally {
    await admin.close()
  }
}

describe("the domain limiter seed on Postgres", () => {
  it("what was learned stands in the table, and a server that is killed goes on from it", async () => {
    const { domain, queue, page } = await open()
    await closeForAMoment(queue)
    await queue.submitMany(page, new Array(30).fill({}))
    await requests(queue, 12)
    domain.answer = 429
    await requests(queue, 6)
    domain.answer = 200
    await requests(queue, 3)
    domain.answer = 429
    await requests(queue, 1)
    const { learned, slots } = await gateOf(queue)
    const inTable = `select limit_name, key, adaptive_delay_ms, adaptive_delay_floor_ms, error_streak, success_streak from sluice.gates`
    const expected = { limit_name: "crawl", key: "example.com", adaptive_delay_ms: 6_500, adaptive_delay_floor_ms: 6_500 }
    deepEqual(await rows(inTable), [{ ...expected, error_streak: "1", success_streak: "0" }])
    await queue.close()
    await domain.close()

    await server.kill()
    server = await startPostgres({ like: server })

    deepEqual(await rows(inTable), [{ ...expected, error_streak: "1", success_streak: "0" }])
    const { domain: second, queue: again } = await open(domain.world.wallMs())
    const kept = await gateOf(again)
    deepEqual([kept.learned, kept.slots], [learned, slots])
    await nextRequest(again)
    const [lastOfFirst = 0] = domain.sentAtMs.slice(-1)
    const [next = 0] = second.sentAtMs
    equal(next - lastOfFirst >= 6_500, true, "the first request after the restart keeps the distance")
    await again.close()
    await second.close()
  })

  it("four processes take one step for each episode between them, lose none, and count every success", { timeout: 120_000 }, async () => {
    const url = new URL(server.url)
    url.searchParams.set("schema", "four")
    const delayMs = await crawlByFour(url.href)
    deepEqual(await rows("select adaptive_delay_ms from four.gates"), [{ adaptive_delay_ms: delayMs }])
  })
})

// The fifth seed's requirement 2: what was learned of a domain outlives the process that has learned it, and is one for all processes
// that share a file. The table and the other requirements are in crawl.test.ts.

import { deepEqual, equal } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { testQueue } from "../../src/testing/index.ts"
import { CommandLine } from "../integration/cli/command-line.ts"
import { closeForAMoment, crawler, Domain, gateOf, nextRequest, requests } from "./crawl.ts"
import { crawlByFour } from "./crawl-processes.ts"
import { withOwnNews } from "./own-news.ts"

let folder = ""
let store = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-crawl-"))
  store = `sqlite:${join(folder, "x.db")}`
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(domain: Domain, linear: Parameters<typeof crawler>[2] = {}) {
  const page = crawler(domain.url, 4, linear)
  return { page, queue: await testQueue([page], { world: domain.world, store, through: withOwnNews }) }
}

const show = async (url: string) => {
  const line = new CommandLine({ env: { SLUICE_STORE: url } })
  return ((await line.sluice("limits", "show", "crawl/example.com", "--json")).json() as { learned: Record<string, unknown> }).learned
}

describe("the domain limiter seed: a restart", () => {
  it("keeps what was learned, and goes on from it", async () => {
    const options = { probeAfter: 3, floorDecay: "30d" } as const
    const first = await Domain.open()
    const { queue, page } = await open(first, options)
    await closeForAMoment(queue)
    await queue.submitMany(page, new Array(30).fill({}))
    await requests(queue, 12)
    first.answer = 429
    await requests(queue, 6)
    first.answer = 200
    await requests(queue, 3)
    first.answer = 429
    await requests(queue, 1)
    const { learned, slots } = await gateOf(queue)
    deepEqual([learned?.adaptiveDelayMs, learned?.delayFloorMs, learned?.errorStreak, slots?.of], [6_500, 6_500, 1, 3])
    await queue.close()
    await first.close()

    const second = await Domain.open(first.world.wallMs())
    const { queue: again } = await open(second, options)
    const kept = await gateOf(again)
    deepEqual([kept.learned, kept.slots], [learned, slots])
    await nextRequest(again)
    await nextRequest(again)
    const [lastOfFirst = 0] = first.sentAtMs.slice(-1)
    const [next = 0, afterNext = 0] = second.sentAtMs
    equal(next - lastOfFirst >= 6_500, true, "the first request after the restart keeps the distance")
    equal(afterNext - next >= 6_450, true, "and so do the others")
    await again.close()
    await second.close()
  })

  it("shows the six fields of the seed on the command line", async () => {
    const domain = await Domain.open()
    const { queue, page } = await open(domain)
    await closeForAMoment(queue)
    await queue.submitMany(page, new Array(10).fill({}))
    await requests(queue, 2)
    const lastSuccess = new Date(domain.world.wallMs()).toISOString()
    domain.answer = 429
    await requests(queue, 2)
    const nextAvailable = (await gateOf(queue)).learned?.nextAvailable?.toISOString()
    await queue.close()
    await domain.close()
    const { error_streak, success_streak, adaptive_delay, delay_floor, next_available, last_success } = await show(store)
    deepEqual(
      { error_streak, success_streak, adaptive_delay, delay_floor },
      { error_streak: 2, success_streak: 0, adaptive_delay: 2_500, delay_floor: 0 },
    )
    deepEqual(
      [Date.parse(String(last_success)), Date.parse(String(next_available))],
      [Date.parse(lastSuccess), Date.parse(nextAvailable ?? "")],
    )
  })
})

describe("the domain limiter seed: four processes on one file", () => {
  it("take one step for each episode between them, lose none, and count every success", { timeout: 120_000 }, async () => {
    const delayMs = await crawlByFour(store)
    equal((await show(store)).adaptive_delay, delayMs, "and it is in the file")
  })
})

// The fifth seed: a domain that begins to answer 429. Delay and concurrency follow the seed's requirements 1, 3 and 4 step by step, with
// its own numbers, over real HTTP.

import { deepEqual, equal, ok } from "node:assert/strict"
import { afterEach, it } from "node:test"
import { closeForAMoment, crawler, Domain, gateOf, type Page, requests } from "./crawl.ts"
import { onEveryStore } from "./stores.ts"

const concurrency = 4
/** None sinks while the table is read. */
const floorDecay = "30d"

interface Row {
  readonly answers: readonly [count: number, status: number]
  /** Afterwards, in seconds. */
  readonly delay: number
  readonly floor: number
  /** How many may be under way at once. */
  readonly atOnce: number
  readonly streaks: readonly [errors: number, successes: number]
  readonly why: string
}

const row = (
  answers: Row["answers"],
  [delay, floor]: readonly [number, number],
  atOnce: number,
  streaks: Row["streaks"],
  why: string,
): Row => ({ answers, delay, floor, atOnce, streaks, why })

const table: readonly Row[] = [
  row([3, 200], [0, 0], 4, [0, 3], "nothing to learn: the base delay of half a second is kept"),
  row([1, 429], [1.5, 0], 4, [1, 0], "half way it begins to refuse: one second more than the base"),
  row([1, 429], [2.5, 0], 4, [2, 0], "and one more each time"),
  row([2, 429], [4.5, 0], 4, [4, 0], "linear growth"),
  row([1, 429], [5.5, 0], 3, [5, 0], "five seconds over the base: one at once less"),
  row([4, 429], [9.5, 0], 3, [9, 0], "not yet ten"),
  row([1, 429], [10.5, 0], 2, [10, 0], "ten seconds: two less"),
  row([1, 429], [11.5, 0], 2, [11, 0], "still refused"),
  row([19, 200], [11.5, 0], 2, [0, 19], "not yet enough successes"),
  row([1, 200], [10.5, 0], 2, [0, 0], "20 of them: a probe, one second less"),
  row([20, 200], [9.5, 0], 3, [0, 0], "it held: the next probe, and one at once more"),
  row([1, 429], [10.5, 10.5], 2, [1, 0], "refused during the probe: back, and what had held is the floor"),
  row([21, 200], [10.5, 10.5], 2, [0, 21], "no probe below the floor"),
  row([1, 429], [11.5, 0], 2, [1, 0], "the floor itself was refused: it is none"),
  row([20, 200], [10.5, 0], 2, [0, 0], "a probe again"),
]

onEveryStore("the domain limiter seed", (open) => {
  let domain: Domain | null = null
  afterEach(async () => {
    await domain?.close()
    domain = null
  })

  async function start(linear: Parameters<typeof crawler>[2] = {}) {
    domain = await Domain.open()
    const page = crawler(domain.url, concurrency, linear)
    const queue = await open([page], { world: domain.world, worker: { concurrency: 20 } })
    await closeForAMoment(queue)
    return { domain, page, queue }
  }

  it("requirements 1 and 4: the delay grows with each 429 and shrinks after 20 successes; the concurrency follows it", async () => {
    const { domain, queue, page } = await start({ floorDecay })
    await queue.submitMany(page, pages(120))
    for (const { answers, delay, floor, atOnce, streaks, why } of table) {
      const [count, status] = answers
      domain.answer = status
      await requests(queue, count)
      const { learned, slots } = await gateOf(queue)
      deepEqual(
        [learned?.adaptiveDelayMs, learned?.delayFloorMs, slots?.of, learned?.errorStreak, learned?.successStreak],
        [delay * 1_000, floor * 1_000, atOnce, ...streaks],
        `after ${count} times ${status}: ${why}`,
      )
    }
    equal(
      domain.asked,
      table.reduce((sum, { answers }) => sum + answers[0], 0),
      "each answer is that of one request",
    )
  })

  it("requirement 4: the concurrency comes back as the delay falls", async () => {
    const { domain, queue, page } = await start({ probeAfter: 3 })
    await queue.submitMany(page, pages(60))
    // So that there is seen to be enough to send.
    await requests(queue, 12)
    domain.answer = 429
    await requests(queue, 11)
    domain.answer = 200
    const seen: unknown[] = []
    for (let i = 0; i < 8; i++) {
      const { learned, slots } = await gateOf(queue)
      seen.push([(learned?.adaptiveDelayMs ?? 0) / 1_000, slots?.of])
      await requests(queue, 3)
    }
    deepEqual(seen, [
      [11.5, 2],
      [10.5, 2],
      [9.5, 3],
      [8.5, 3],
      [7.5, 3],
      [6.5, 3],
      [5.5, 3],
      [4.5, 4],
    ])
  })

  it("requirement 4: no more are under way than the reduced concurrency, though the delay would let them start", async () => {
    const { domain, page, queue } = await start()
    await queue.submitMany(page, pages(12))
    domain.answer = 429
    await requests(queue, 5)
    equal((await gateOf(queue)).slots?.of, 3)
    domain.answer = "hold"
    for (let i = 0; i < 8; i++) await queue.advance("6500ms")
    equal((await queue.counts()).running, 3)
  })

  it("requirement 1: the delay between two requests is what was learned, up to its cap", async () => {
    const { domain, page, queue } = await start({ max: "4s" })
    await queue.submitMany(page, pages(12))
    await requests(queue, 3)
    domain.answer = 429
    const delays: unknown[] = []
    for (let i = 0; i < 5; i++) {
      await requests(queue, 1)
      delays.push((await gateOf(queue)).learned?.adaptiveDelayMs)
    }
    deepEqual(delays, [1_500, 2_500, 3_500, 4_000, 4_000])
    domain.answer = 200
    await requests(queue, 3)
    const gaps = gapsOf(domain)
    deepEqual(gaps.slice(0, 3), [500, 500, 500], "before the first 429 the base delay")
    // After a refusal up to a tenth is added, so that those who wait do not all come back at once.
    for (const [i, least] of [1_500, 2_500, 3_500, 4_000, 4_000].entries()) {
      const gap = gaps[i + 3] ?? 0
      ok(gap >= least && gap <= least * 1.1 + 1, `expected from ${least} to ${least * 1.1} ms, got ${gap}`)
    }
    // Who came late by that tenth does not delay those behind by all of it.
    const [first = 0, second] = gaps.slice(8)
    ok(first >= 3_950 && first <= 4_000, `expected about 4000 ms, got ${first}`)
    equal(second, 4_000)
  })

  it("requirement 1: the larger of the robots delay and the learned one holds", async () => {
    const { domain, page, queue } = await start({ minDelay: ({ robotsMs = 500 }) => robotsMs })
    await queue.submitMany(page, [{ robotsMs: 3_000 }, { robotsMs: 2_000 }, {}, { robotsMs: 1_000 }])
    await requests(queue, 3)
    domain.answer = 429
    await requests(queue, 2)
    equal((await gateOf(queue)).learned?.adaptiveDelayMs, 3_000, "two steps above the second it was asked to keep")
    domain.answer = 200
    await requests(queue, 1)
    await queue.submitMany(page, [{ robotsMs: 10_000 }, { robotsMs: 1_000 }, { robotsMs: 4_000 }, {}])
    await requests(queue, 4)
    const gaps = gapsOf(domain)
    deepEqual(gaps.slice(0, 3), [3_000, 2_000, 500], "nothing learned: what robots.txt asks for")
    const [, ...after] = gaps.slice(5)
    deepEqual(after, [10_000, 3_000, 4_000], "learned 3 s: the larger of the two")
  })

  it("requirement 3: a page that gets 403, 429 or 503 is tried three times more, and fails with the last status", async () => {
    const { domain, page, queue } = await start()
    for (const { statuses, learnedMs } of [
      { statuses: [403, 403, 403, 403], learnedMs: 0 },
      { statuses: [403, 403, 403, 503], learnedMs: 0 },
      { statuses: [429, 429, 429, 429], learnedMs: 4_500 },
    ]) {
      const { id } = await queue.submit(page, {})
      const before = domain.asked
      for (const status of statuses) {
        equal((await queue.get(id))?.status, "pending")
        domain.answer = status
        await requests(queue, 1)
      }
      const task = await queue.get(id)
      deepEqual([task?.status, domain.asked - before], ["failed", 4])
      equal(task?.lastError, `Max throttles (3) exceeded, last upstream status ${statuses.at(-1)}`)
      equal((await gateOf(queue)).learned?.adaptiveDelayMs, learnedMs, "only a 429 says something about the pace")
    }
  })

  it("requirement 3: a page that is served at its last try is completed", async () => {
    const { domain, page, queue } = await start()
    const { id } = await queue.submit(page, {})
    for (const status of [503, 429, 403, 200]) {
      domain.answer = status
      await requests(queue, 1)
    }
    deepEqual([(await queue.get(id))?.status, (await queue.get(id))?.output], ["completed", 200])
  })
})

function pages(count: number): Page[] {
  return Array.from({ length: count }, () => ({}))
}

function gapsOf({ sentAtMs }: Domain): number[] {
  return sentAtMs.slice(1).map((atMs, i) => atMs - (sentAtMs[i] ?? 0))
}

// The fifth seed's requirement 2: what was learned of a domain outlives the process that has learned it, and is one for all processes
// that share a file. The table and the other requirements are in crawl.test.ts.

import { deepEqual, equal } from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { connect } from "../../src/index.ts"
import { testQueue } from "../../src/testing/index.ts"
import { CommandLine } from "../integration/cli/command-line.ts"
import { type HttpSide, httpSide } from "../integration/http-side.ts"
import { crawler, Domain, gateOf, nextRequest, requests } from "./crawl.ts"
import { shared } from "./crawl-shared.ts"
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

/** As any server it takes a while. Ages are told in whole milliseconds: in less than two nobody can tell what came first. */
const answerMs = 10

/** Holds requests until all that may be under way at once are, then answers them together: they are one episode. */
class Episodes {
  readonly side: HttpSide
  private readonly held: ServerResponse[]
  private readonly full: { tell: () => void }

  private constructor(side: HttpSide, held: ServerResponse[], full: { tell: () => void }) {
    this.side = side
    this.held = held
    this.full = full
  }

  static async open(): Promise<Episodes> {
    const held: ServerResponse[] = []
    const full = { tell: () => {} }
    const side = await httpSide((_request, response) => {
      held.push(response)
      full.tell()
    })
    return new Episodes(side, held, full)
  }

  /** Whoever was refused before has said so by then: its slot was needed for one of these. */
  async untilFull(): Promise<void> {
    while (this.held.length < shared.concurrency) {
      await new Promise<void>((resolve) => {
        this.full.tell = resolve
      })
    }
  }

  answer(status: number): void {
    for (const response of this.held.splice(0)) response.writeHead(status).end("{}")
  }

  /** From now on each at once. */
  serveAll(): void {
    this.full.tell = () => this.answer(200)
    this.answer(200)
  }
}

function startProcess(url: string, id: string): ChildProcess {
  const script = fileURLToPath(new URL("./crawl-process.js", import.meta.url))
  return spawn(process.execPath, [script, store, url, id], { stdio: ["ignore", "pipe", "inherit"] })
}

describe("the domain limiter seed: four processes on one file", () => {
  it("take one step for each episode between them, lose none, and count every success", { timeout: 120_000 }, async () => {
    const tasks = 24
    const episodes = 4
    const server = await Episodes.open()
    const queue = await connect(store)
    const page = crawler(server.side.url, shared.concurrency, shared.linear)
    await queue.submitMany(page, new Array(tasks).fill({}))
    const children = Array.from({ length: shared.processes }, (_, i) => startProcess(server.side.url, `worker-${i}`))
    const exits = children.map((child) => once(child, "exit"))
    const learned = async () => {
      const view = (await gateOf(queue)).learned
      return { delayMs: view?.adaptiveDelayMs, errors: view?.errorStreak, successes: view?.successStreak, version: view?.version }
    }
    try {
      for (let episode = 1; episode <= episodes; episode++) {
        await server.untilFull()
        await sleep(answerMs)
        server.answer(429)
        await server.untilFull()
        const delayMs = shared.baseMs + episode * shared.stepMs
        deepEqual(await learned(), { delayMs, errors: episode, successes: 0, version: episode }, `after episode ${episode}`)
      }
      server.serveAll()
      while ((await queue.counts()).completed < tasks) await queue.store.wait({ workerId: "test" }, AbortSignal.timeout(100))
      const delayMs = shared.baseMs + episodes * shared.stepMs
      deepEqual(await learned(), { delayMs, errors: 0, successes: tasks, version: episodes + tasks })
      equal(server.side.paths.length, tasks + episodes * shared.concurrency, "each refused request was sent again, and no other")
    } finally {
      server.serveAll()
      for (const child of children) child.kill("SIGTERM")
      await Promise.all(exits)
      await queue.close()
      await server.side.close()
    }
    deepEqual(
      children.map(({ exitCode }) => exitCode),
      new Array(shared.processes).fill(0),
    )
    equal((await show(store)).adaptive_delay, shared.baseMs + episodes * shared.stepMs, "and it is in the file")
  })
})

// Four worker processes that crawl one domain between them, on a store that they share: they take one step for each episode, lose none, and
// count every success.

import { deepEqual, equal } from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { connect } from "../../src/index.ts"
import { type HttpSide, httpSide } from "../integration/http-side.ts"
import { crawler, gateOf } from "./crawl.ts"
import { shared } from "./crawl-shared.ts"

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

function startProcess(store: string, url: string, id: string): ChildProcess {
  const script = fileURLToPath(new URL("./crawl-process.js", import.meta.url))
  return spawn(process.execPath, [script, store, url, id], { stdio: ["ignore", "pipe", "inherit"] })
}

/** Answers with the delay that they have learned, in milliseconds. */
export async function crawlByFour(store: string): Promise<number> {
  const tasks = 24
  const episodes = 4
  const server = await Episodes.open()
  const queue = await connect(store)
  const page = crawler(server.side.url, shared.concurrency, shared.linear)
  await queue.submitMany(page, new Array(tasks).fill({}))
  const children = Array.from({ length: shared.processes }, (_, i) => startProcess(store, server.side.url, `worker-${i}`))
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
  return shared.baseMs + episodes * shared.stepMs
}

// The fifth seed's domain, for its tests: a real HTTP server that answers as it is told, and a queue in virtual time that crawls it.
// Time moves only from one opening of the gate to the next, so that each request is answered at the moment at which it was sent.

import { ok } from "node:assert/strict"
import type { ServerResponse } from "node:http"
import { defineLimit, defineTask, type GateView, type LinearOptions } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type HttpSide, httpSide } from "../integration/http-side.ts"

export interface Page {
  /** What robots.txt asks for, in milliseconds. */
  readonly robotsMs?: number
}

/** "hold": the answer is kept back until `release`. */
type Answer = number | "hold"

export class Domain {
  answer: Answer = 200
  /** On the clock of the test: when each request went out. */
  readonly sentAtMs: number[] = []
  readonly world: VirtualWorld
  private readonly side: HttpSide
  private readonly held: ServerResponse[]

  private constructor(side: HttpSide, held: ServerResponse[], startMs: number | undefined, World: typeof VirtualWorld) {
    this.side = side
    this.held = held
    this.world = new World({
      ...(startMs === undefined ? {} : { startMs }),
      fetch: (url, init) => {
        this.sentAtMs.push(this.world.wallMs())
        return fetch(url, init)
      },
    })
  }

  static async open(startMs?: number, World = VirtualWorld): Promise<Domain> {
    const held: ServerResponse[] = []
    const side = await httpSide((_request, response) => {
      if (domain.answer === "hold") held.push(response)
      else response.writeHead(domain.answer).end("{}")
    })
    const domain = new Domain(side, held, startMs, World)
    return domain
  }

  get url(): string {
    return `${this.side.url}/page`
  }

  get asked(): number {
    return this.side.paths.length
  }

  release(status: number): void {
    this.answer = status
    for (const response of this.held.splice(0)) response.writeHead(status).end("{}")
  }

  close(): Promise<void> {
    return this.side.close()
  }
}

export type CrawlPage = ReturnType<typeof crawler>

/** A page of the domain, at a gate that learns as the seed says: its own numbers are the defaults. */
export function crawler(url: string, concurrency: number, linear: Partial<LinearOptions<Page>> = {}) {
  const crawl = defineLimit<Page>("crawl", { key: () => "example.com", concurrency, adaptive: { preset: "linear", ...linear } })
  return defineTask("crawl_page", {
    limits: [crawl],
    run: async (_page: Page, context) => (await context.fetch(url)).status,
  })
}

export async function gateOf(queue: Pick<TestQueue, "limits">): Promise<GateView> {
  const [gate] = (await queue.limits.gates("crawl")).gates
  ok(gate, "expected a gate")
  return gate
}

/** A worker that is idle starts the first task as it is submitted: with the gate closed for a moment, the test says when. */
export async function closeForAMoment({ limits, world }: TestQueue): Promise<void> {
  await limits.close("crawl", { key: "example.com", until: new Date(world.wallMs() + 1) })
}

/** The next request of the backlog, at the moment at which the gate opens and no later, until what became of it is in the store. */
export async function nextRequest(queue: TestQueue): Promise<void> {
  const { ownWorker, world } = queue
  let settled = () => {}
  const untilSettled = new Promise<void>((resolve) => {
    settled = resolve
  })
  ownWorker.on("task.settled", settled)
  const { opensAt, waitingTasks } = await gateOf(queue)
  ok(waitingTasks > 0, "expected a backlog: what was to wait has started already")
  await world.advance(Math.max(0, (opensAt?.getTime() ?? 0) - world.wallMs()))
  await untilSettled
  ownWorker.off("task.settled", settled)
}

export async function requests(queue: TestQueue, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextRequest(queue)
}

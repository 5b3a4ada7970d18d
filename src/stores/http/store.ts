// The HTTP store: every operation is one POST to the server, which carries it out in one step of its own store.

import { SluiceError } from "../../errors/index.ts"
import type { Operation, Store, StoreDescription } from "../../store/contract.ts"
import { sleep, type World } from "../../world/index.ts"
import type { Line } from "./line.ts"
import type { Location } from "./location.ts"

export interface HttpStoreParts {
  readonly location: Location
  readonly line: Line
  readonly world: World
}

/** How long the server keeps a question for news. Proxies end what is silent for a minute. */
const pollMs = 20_000
/** How much longer than that an answer may be under way. */
const slackMs = 10_000
const retryAfterMs = 1_000

export class HttpStore implements Store {
  readonly kind = "http"
  private readonly parts: HttpStoreParts

  constructor(parts: HttpStoreParts) {
    this.parts = parts
  }

  readonly hello = this.operation("hello")
  readonly submit = this.operation("submit")
  readonly unrouted = this.operation("unrouted")
  readonly route = this.operation("route")
  readonly exchange = this.operation("exchange")
  readonly permit = this.operation("permit")
  readonly hold = this.operation("hold")
  readonly get = this.operation("get")
  readonly list = this.operation("list")
  readonly history = this.operation("history")
  readonly counts = this.operation("counts")
  readonly cancel = this.operation("cancel")
  readonly retry = this.operation("retry")
  readonly archive = this.operation("archive")
  readonly expire = this.operation("expire")
  readonly jobs = this.operation("jobs")
  readonly job = this.operation("job")
  readonly changeJob = this.operation("changeJob")
  readonly explain = this.operation("explain")
  readonly limits = this.operation("limits")
  readonly gates = this.operation("gates")
  readonly changeLimit = this.operation("changeLimit")
  readonly limitChanges = this.operation("limitChanges")
  readonly forecastErrors = this.operation("forecastErrors")
  readonly workers = this.operation("workers")
  readonly waiting = this.operation("waiting")
  readonly saveSchedule = this.operation("saveSchedule")
  readonly schedules = this.operation("schedules")
  readonly dueSchedules = this.operation("dueSchedules")
  readonly changeSchedule = this.operation("changeSchedule")
  readonly fire = this.operation("fire")
  readonly sweep = this.operation("sweep")
  readonly now = this.operation("now")

  async describe(_request: Record<never, never>): Promise<StoreDescription> {
    const { line, location } = this.parts
    const answer = await line.ask("describe", {})
    if (!isDescription(answer))
      throw new SluiceError("not_a_database", `${location.place}: expected a Sluice server to answer, got another program; check the URL`)
    const { kind, facts, ...others } = answer
    return { ...others, kind: this.kind, facts: { server: location.base, "store of the server": kind, ...facts } }
  }

  /** Since the news that an earlier answer has told: what has happened while this question was under way ends it at once. */
  async wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    const { line, world } = this.parts
    const since = line.news
    while (!signal.aborted) {
      try {
        const told = await line.ask("wait", { instance: since.instance, since: since.count, timeoutMs: pollMs }, pollMs + slackMs, signal)
        const { instance, news } = (told ?? { instance: "", news: 0 }) as { instance: string; news: number }
        if (instance !== since.instance || news > since.count) return
      } catch {
        // Whoever waits looks by himself then; and not again and again while nobody answers.
        await sleep(world, retryAfterMs, signal)
        return
      }
    }
  }

  async close(): Promise<void> {
    this.parts.line.close()
  }

  private operation<Name extends Operation>(operation: Name): Store[Name] {
    return ((request: unknown) => this.parts.line.ask(operation, request)) as Store[Name]
  }
}

/** Other programs answer with 200 too. */
function isDescription(answer: unknown): answer is StoreDescription {
  const { kind, namespace, facts } = (answer ?? {}) as Partial<StoreDescription>
  return typeof kind === "string" && typeof namespace === "string" && typeof facts === "object" && facts !== null
}

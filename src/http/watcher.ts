// What live views see: one look at the store for all streams of a namespace, as often as somebody watches and something changes. Every
// event is a whole document, so a stream that was cut off, or is slow, has missed nothing once it has the latest.

import { isSluiceError } from "../errors/index.ts"
import { documentOf, jobDetailDocument, scheduleDocument } from "../queue/document.ts"
import type { Queue, Task } from "../queue/index.ts"
import { sleep } from "../world/index.ts"
import { Courses } from "./courses.ts"
import { gateDocument, limitDocument } from "./documents.ts"
import { News } from "./news.ts"
import { OldestWaiting } from "./oldest-waiting.ts"
import { type Overview, overviewOf } from "./overview.ts"
import type { Redact } from "./redact.ts"
import { type Sample, Samples } from "./samples.ts"

export const topics = ["counts", "overview", "samples", "limits", "jobs", "schedules", "workers"] as const
export type Topic = (typeof topics)[number]

/** What one stream wants to hear of. */
export interface Interest {
  readonly topics: ReadonlySet<Topic>
  readonly tasks: readonly string[]
  readonly jobs: readonly string[]
  /** Limits whose gates it shows. */
  readonly limits: readonly string[]
}

export interface Subscriber extends Interest {
  /** The latest of its kind and id takes the place of one that was not sent yet. */
  tell(event: string, id: string, data: string): void
}

/** How often each is looked at, at most. */
const everyMs = {
  counts: 250,
  task: 250,
  gates: 500,
  job: 500,
  limits: 1_000,
  jobs: 1_000,
  overview: 1_000,
  samples: 2_000,
  schedules: 5_000,
  workers: 5_000,
}
type Kind = keyof typeof everyMs
const soonestMs = 100
const latestMs = 2_000
/** Looking takes no more than a fifth of the time. */
const restFactor = 4
const mostGates = 200
const mostJobs = 100

export class Watcher {
  readonly news: News
  readonly samples: Samples
  readonly courses: Courses
  private readonly queue: Queue
  private readonly redact: Redact
  private readonly oldest: OldestWaiting
  private readonly subscribers = new Set<Subscriber>()
  /** What was told last, by kind and id. */
  private readonly told = new Map<string, string>()
  private readonly lookedAtMs = new Map<string, number>()
  private stop: AbortController | null = null
  private isClosed = false

  constructor(queue: Queue, redact: Redact) {
    this.queue = queue
    this.redact = redact
    this.news = new News(queue.store, queue.world)
    this.samples = new Samples(queue)
    this.courses = new Courses(queue)
    this.oldest = new OldestWaiting(queue)
  }

  /** Streams that are told of what changes. */
  get watching(): number {
    return this.subscribers.size
  }

  /** Gives back how to end it. */
  subscribe(subscriber: Subscriber): () => void {
    this.subscribers.add(subscriber)
    for (const { kind, ids } of wanted([subscriber])) for (const id of ids) this.tellKnown(subscriber, kind, id)
    if (this.stop === null && !this.isClosed) {
      this.stop = new AbortController()
      void this.watch(this.stop.signal)
    }
    return () => {
      this.subscribers.delete(subscriber)
      if (this.subscribers.size > 0) return
      this.stop?.abort()
      this.stop = null
      this.told.clear()
      this.lookedAtMs.clear()
    }
  }

  async overview(): Promise<Overview & { readonly samples: readonly Sample[] }> {
    this.samples.start()
    return { ...(await this.glance()), samples: this.samples.all }
  }

  /** Without the samples: they are an hour of numbers, and change every ten seconds. */
  private async glance(): Promise<Overview> {
    const { namespace } = await this.queue.describe()
    return overviewOf(this.queue, namespace, await this.oldest.find())
  }

  close(): void {
    this.isClosed = true
    this.stop?.abort()
    this.samples.close()
    this.courses.close()
    this.news.close()
  }

  private tellKnown(subscriber: Subscriber, kind: Kind, id: string): void {
    const known = this.told.get(`${kind} ${id}`)
    if (known !== undefined) subscriber.tell(kind, id, known)
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { world } = this.queue
    let pauseMs = soonestMs
    while (!signal.aborted) {
      const beganAtMs = world.monotonicMs()
      const seen = this.news.count
      // A store that does not answer is asked again later; the streams stay.
      const hasChanged = await this.look(beganAtMs, signal).catch((error: unknown) => {
        if (!isSluiceError(error)) throw error
        return false
      })
      pauseMs = hasChanged ? soonestMs : Math.min(latestMs, pauseMs * 2)
      const restMs = Math.max(soonestMs, (world.monotonicMs() - beganAtMs) * restFactor)
      await sleep(world, restMs, signal)
      if (pauseMs > restMs) await this.news.past(seen, pauseMs - restMs, signal)
    }
  }

  private async look(nowMs: number, signal: AbortSignal): Promise<boolean> {
    let hasChanged = false
    for (const { kind, ids } of wanted([...this.subscribers])) {
      const due = ids.filter((id) => nowMs - (this.lookedAtMs.get(`${kind} ${id}`) ?? Number.NEGATIVE_INFINITY) >= everyMs[kind])
      if (due.length === 0 || signal.aborted) continue
      for (const id of due) this.lookedAtMs.set(`${kind} ${id}`, nowMs)
      for (const [id, document] of await this.read(kind, due)) hasChanged = this.tell(kind, id, document) || hasChanged
    }
    return hasChanged
  }

  private tell(kind: Kind, id: string, document: unknown): boolean {
    const data = JSON.stringify(this.redact(document))
    const isSame = this.told.get(`${kind} ${id}`) === data
    if (isSame) return false
    this.told.set(`${kind} ${id}`, data)
    for (const subscriber of this.subscribers)
      if (wanted([subscriber]).some((one) => one.kind === kind && one.ids.includes(id))) subscriber.tell(kind, id, data)
    // The time goes on in every overview; that alone is no reason to look more often.
    return kind !== "overview"
  }

  private async read(kind: Kind, ids: readonly string[]): Promise<readonly (readonly [string, unknown])[]> {
    const { queue } = this
    switch (kind) {
      case "counts":
        return [["", await queue.counts()]]
      case "overview":
        return [["", await this.glance()]]
      case "samples":
        this.samples.start()
        return [["", this.samples.all]]
      case "limits":
        return [["", await Promise.all((await queue.limits.list()).map((limit) => limitDocument(queue, limit)))]]
      case "jobs":
        return [["", (await queue.jobs.list({ limit: mostJobs })).jobs.map((job) => job.toJSON())]]
      case "schedules":
        return [["", (await queue.schedules.list()).map(scheduleDocument)]]
      case "workers":
        return [["", documentOf(await queue.workers())]]
      case "task":
        return (await queue.getMany(ids)).map((task: Task | null, i) => [ids[i] as string, task === null ? null : task.toJSON()])
      case "gates":
        return Promise.all(ids.map(async (id) => [id, await this.gates(id)] as const))
      case "job":
        return Promise.all(ids.map(async (id) => [id, await this.job(id)] as const))
    }
  }

  /** Null where there is no such limit. */
  private async gates(limit: string): Promise<unknown> {
    try {
      const { gates, cursor } = await this.queue.limits.gates(limit, { limit: mostGates })
      this.courses.start()
      return { limit, gates: gates.map(gateDocument), cursor, courses: this.courses.of(limit) }
    } catch (error) {
      if (isSluiceError(error) && error.code === "unknown_limit") return null
      throw error
    }
  }

  private async job(id: string): Promise<unknown> {
    try {
      return jobDetailDocument(await this.queue.jobs.show(id), await this.queue.now())
    } catch (error) {
      if (isSluiceError(error) && error.code === "not_found") return null
      throw error
    }
  }
}

/** What some subscribers want, each kind and id once. */
function wanted(subscribers: readonly Subscriber[]): readonly { readonly kind: Kind; readonly ids: readonly string[] }[] {
  const union = (of: (one: Subscriber) => readonly string[]) => [...new Set(subscribers.flatMap(of))]
  return [
    ...topics.filter((topic) => subscribers.some((one) => one.topics.has(topic))).map((kind) => ({ kind, ids: [""] })),
    { kind: "task" as const, ids: union((one) => one.tasks) },
    { kind: "gates" as const, ids: union((one) => one.limits) },
    { kind: "job" as const, ids: union((one) => one.jobs) },
  ].filter(({ ids }) => ids.length > 0)
}

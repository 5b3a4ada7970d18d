// A namespace as the server has it: its queue, and one watcher that all streams share. Namespaces are opened when they are first asked
// for, no more of them than a server can watch.

import { SluiceError, shown } from "../errors/index.ts"
import type { Queue } from "../queue/index.ts"
import { parseName } from "../units/index.ts"
import { ClaimNumbers } from "./claim-numbers.ts"
import { GuestRuns } from "./guest-runs.ts"
import { Metrics, type MetricsOptions } from "./metrics/index.ts"
import type { Redact } from "./redact.ts"
import { Watcher } from "./watcher.ts"

export interface Realm {
  readonly namespace: string
  readonly queue: Queue
  readonly watcher: Watcher
  readonly metrics: Metrics
  readonly guests: GuestRuns
  readonly claimNumbers: ClaimNumbers
  readonly redact: Redact
}

const mostRealms = 64

export interface RealmsOptions {
  /** The one that is meant where nobody names one. */
  readonly namespace: string
  /** Opens the queue of a namespace; null: there is only the one. */
  readonly open: ((namespace: string) => Promise<Queue>) | null
  readonly redact: Redact
  readonly metrics: MetricsOptions
}

export class Realms {
  private readonly options: RealmsOptions
  private readonly own: Realm
  private readonly opened = new Map<string, Promise<Realm>>()

  constructor(queue: Queue, options: RealmsOptions) {
    this.options = options
    this.own = this.realm(options.namespace, queue)
  }

  get default(): Realm {
    return this.own
  }

  /** By the name in the header; null: the server's own. */
  async find(asked: string | null): Promise<Realm> {
    const { open, namespace: own } = this.options
    const namespace = asked === null ? own : parseName("Sluice-Namespace", asked)
    if (namespace === own) return this.own
    if (open === null)
      throw new SluiceError("forbidden", `Sluice-Namespace: expected ${shown(own)}, the namespace of this server, got ${shown(namespace)}`)
    const known = this.opened.get(namespace)
    if (known) return known
    if (this.opened.size >= mostRealms)
      throw new SluiceError("too_many_requests", `Sluice-Namespace: this server has ${mostRealms} namespaces open; start another for more`)
    const opening = open(namespace).then((queue) => this.realm(namespace, queue))
    this.opened.set(namespace, opening)
    opening.catch(() => this.opened.delete(namespace))
    return opening
  }

  /** Nobody is kept waiting any more. */
  async stop(): Promise<void> {
    this.own.watcher.close()
    for (const realm of await this.all()) realm.watcher.close()
  }

  /** Of its own queue nobody but whoever has made it lets go. */
  async close(): Promise<void> {
    for (const realm of await this.all()) await realm.queue.close()
    this.opened.clear()
  }

  private async all(): Promise<Realm[]> {
    const found = await Promise.all([...this.opened.values()].map((opening) => opening.catch(() => null)))
    return found.filter((realm): realm is Realm => realm !== null)
  }

  private realm(namespace: string, queue: Queue): Realm {
    const { redact } = this.options
    const metrics = new Metrics(queue, this.options.metrics)
    const guests = new GuestRuns(queue.world)
    metrics.watch(guests)
    const claimNumbers = new ClaimNumbers(queue.world)
    return { namespace, queue, redact, metrics, guests, claimNumbers, watcher: new Watcher(queue, redact) }
  }
}

// Metrics of a queue, for Prometheus: `await metrics(queue).text()` behind whatever path your server has. Those of the process are counted
// from now on; call it before the workers are made, or name them.

import type { Queue } from "../../queue/index.ts"
import { type Duration, parseDuration, readOptions, yesOrNo } from "../../units/index.ts"
import { catalogue, type MetricName } from "./catalogue.ts"
import { countProcess, countWorker, type Telling } from "./process.ts"
import { Metric } from "./registry.ts"
import { readStore } from "./store.ts"

export interface MetricsOptions {
  /** What "near expiration" means; "5m" if not given. */
  readonly nearExpiration?: Duration
  /** A series for each gate instead of each limit: for those who know that they have few keys. */
  readonly keys?: boolean
}

export type MetricTable = Readonly<Record<MetricName, Metric>>

/** As Prometheus wants it told. */
export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

const defaultNearMs = 300_000
/** Those who ask at once, or again at once, share a look at the store. */
const freshMs = 1_000

export class Metrics {
  readonly contentType = metricsType
  private readonly queue: Queue
  private readonly settings: { readonly nearMs: number; readonly hasKeys: boolean }
  private readonly table: MetricTable
  private readonly stop: () => void
  private latest: { readonly atMs: number; readonly text: Promise<string> } | null = null

  constructor(queue: Queue, options?: MetricsOptions) {
    const read = readOptions("metrics", options, { nearExpiration: parseDuration, keys: yesOrNo })
    this.queue = queue
    this.settings = { nearMs: read.nearExpiration ?? defaultNearMs, hasKeys: read.keys ?? false }
    this.table = Object.fromEntries(Object.entries(catalogue).map(([name, one]) => [name, new Metric({ name, ...one })])) as MetricTable
    this.stop = countProcess(queue, this.table)
  }

  /** A worker that was made before. */
  watch(worker: Telling): void {
    countWorker(worker, this.table)
  }

  /** The whole text. A store that does not answer leaves out what is its own. */
  text(): Promise<string> {
    const nowMs = this.queue.world.monotonicMs()
    if (this.latest && nowMs - this.latest.atMs < freshMs) return this.latest.text
    const text = this.read()
    this.latest = { atMs: nowMs, text }
    return text
  }

  close(): void {
    this.stop()
  }

  private async read(): Promise<string> {
    await readStore(this.queue, this.table, this.settings).catch(() => this.forgetStore())
    return `${Object.values(this.table)
      .flatMap((metric) => metric.lines())
      .join("\n")}\n`
  }

  /** What was read before is not how it is now. */
  private forgetStore(): void {
    for (const [name, { source, type }] of Object.entries(catalogue))
      if (source === "store" && type === "gauge") this.table[name as MetricName].clear()
  }
}

export function metrics(queue: Queue, options?: MetricsOptions): Metrics {
  return new Metrics(queue, options)
}

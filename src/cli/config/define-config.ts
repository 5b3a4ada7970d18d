// What sluice.config.ts exports. It only gives types to what it is handed: the command line reads and checks it.

import type { CallsOptions, JobBounds, LinearOptions, ScoutOptions } from "../../queue/index.ts"
import type { Duration, Size } from "../../units/index.ts"
import type { WorkerOptions } from "../../worker/index.ts"

interface MetricsConfig {
  /** A series for each gate instead of each limit. */
  readonly metricsKeys?: boolean
  readonly nearExpiration?: Duration
}

export interface Config {
  /** Where tasks are kept, as `--store`. */
  readonly store?: string
  readonly namespace?: string
  /** How `sluice work` and `sluice serve` tell what happens. */
  readonly log?: "text" | "json"
  /** Files with tokens; a token itself belongs into none that is shared. */
  readonly tokenFile?: string
  readonly readTokenFile?: string
  /** The options of `sluice work`. */
  readonly work?: Pick<WorkerOptions, "concurrency" | "lease" | "heartbeat" | "sweep" | "grace" | "retention" | "schedules"> & {
    readonly metricsPort?: number
  } & MetricsConfig
  /** The options of `sluice serve`. */
  readonly serve?: {
    readonly port?: number
    readonly host?: string
    readonly allowHost?: readonly string[]
    readonly anyNamespace?: boolean
    readonly dashboard?: boolean
    readonly redact?: readonly string[]
    readonly maxBodyBytes?: Size
    readonly maxStreams?: number
    readonly maxConnections?: number
    readonly requestsPerSecond?: number
  } & MetricsConfig
  /** Of every job that a process of the command line submits. */
  readonly job?: JobBounds
  /** Of limits outside the queue. */
  readonly calls?: CallsOptions
  /** Of every limit that learns, by its preset. */
  readonly scout?: Omit<ScoutOptions, "preset" | "minDelay"> & { readonly minDelay?: Duration }
  readonly linear?: Omit<LinearOptions, "preset" | "minDelay"> & { readonly minDelay?: Duration }
}

/** For `sluice.config.ts`: `export default defineConfig({ store: "redis://localhost", work: { concurrency: 20 } })`. */
export function defineConfig(config: Config): Config {
  return config
}

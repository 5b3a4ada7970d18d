// How metrics are told, on the command line: the same for a server and for a worker.

import type { Command } from "commander"
import type { MetricsOptions } from "../http/metrics/index.ts"
import { parseDuration } from "../units/index.ts"
import { asDuration, type Given, readFlag } from "./flags.ts"

export function addMetricsFlags(command: Command): Command {
  return command
    .option("--metrics-keys", "In metrics, a series for each gate instead of each limit: for those who know that they have few keys")
    .option("--near-expiration <duration>", 'In metrics, what "near expiration" means (default: 5m)')
}

export function metricsOptions(given: Given): MetricsOptions {
  const nearExpiration = readFlag(given, "nearExpiration", asDuration, parseDuration)
  return { keys: given.metricsKeys === true, ...(nearExpiration === undefined ? {} : { nearExpiration: `${nearExpiration}ms` }) }
}

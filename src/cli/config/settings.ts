// Every setting of the command line. The configuration file, the variables, `sluice config check` and the reference are made from this table.

import { httpDefaults, httpReaders } from "../../http/server-options.ts"
import { presets } from "../../queue/adaptive-settings.ts"
import { callsReaders } from "../../queue/calls/settings.ts"
import { callDefaults, jobSettings, queueDefaults, workerDefaults } from "../../queue/index.ts"
import { boundReaders } from "../../queue/job-settings.ts"
import {
  formatDuration,
  formatSize,
  listOf,
  oneOf,
  parseDuration,
  parseName,
  type Reader,
  wholeNumber,
  yesOrNo,
} from "../../units/index.ts"
import { workerReaders } from "../../worker/index.ts"
import { defaultStore } from "../default-store.ts"
import { asDuration, asNumber, asText, orWord } from "../flags.ts"
import { logForms } from "../work-log.ts"
import { asList, asYesOrNo, port, type Setting, variableOf } from "./setting.ts"

const text: Reader<unknown> = (_name, value) => value

type Given = Partial<Setting> & Pick<Setting, "shape" | "reader">

function setting(key: string, given: Given): Setting {
  return { key, variable: variableOf(key), flag: null, default: null, word: "none", ...given }
}

/** Settings of a command that have the names of its options. */
function ofCommand(command: string, options: Readonly<Record<string, Given>>): Setting[] {
  const dashed = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return Object.entries(options).map(([name, given]) => setting(`${command}.${name}`, { flag: { name: dashed(name), command }, ...given }))
}

const duration = (reader: Reader<unknown>, defaultMs: number): Given => ({ shape: asDuration, reader, default: formatDuration(defaultMs) })
const number = (least: number, most: number, usual: number): Given => ({
  ...{ shape: asNumber, reader: wholeNumber(least, most), default: String(usual) },
})

const everywhere: readonly Setting[] = [
  setting("store", { shape: asText, reader: text, flag: { name: "--store", command: null }, default: defaultStore }),
  setting("namespace", {
    ...{ shape: asText, reader: parseName, flag: { name: "--namespace", command: null }, default: queueDefaults.namespace },
  }),
  setting("log", { shape: asText, reader: oneOf(...logForms) }),
  setting("tokenFile", { shape: asText, reader: text }),
  setting("readTokenFile", { shape: asText, reader: text }),
]

const ofMetrics: Readonly<Record<string, Given>> = {
  metricsKeys: { shape: asYesOrNo, reader: yesOrNo, default: "false" },
  nearExpiration: { shape: asDuration, reader: parseDuration, default: "5m" },
}

const work = ofCommand("work", {
  concurrency: { shape: asNumber, reader: workerReaders.concurrency, default: String(workerDefaults.concurrency) },
  lease: duration(workerReaders.lease, workerDefaults.leaseMs),
  heartbeat: duration(workerReaders.heartbeat, workerDefaults.heartbeatMs),
  sweep: duration(workerReaders.sweep, workerDefaults.sweepMs),
  grace: duration(workerReaders.grace, workerDefaults.graceMs),
  retention: {
    ...duration(workerReaders.retention, workerDefaults.retentionMs),
    ...{ shape: orWord("never", asDuration), word: "never" },
  },
  schedules: {
    ...{ shape: asYesOrNo, reader: workerReaders.schedules, default: String(workerDefaults.schedules) },
    flag: { name: "--no-schedules", command: "work" },
  },
  metricsPort: port,
  ...ofMetrics,
})

const serve = ofCommand("serve", {
  port: { ...port, default: String(httpDefaults.port) },
  host: { shape: asText, reader: text, default: httpDefaults.host },
  allowHost: { shape: asList, reader: httpReaders.hosts },
  anyNamespace: { shape: asYesOrNo, reader: yesOrNo, default: "false" },
  dashboard: { shape: asYesOrNo, reader: yesOrNo, default: "true", flag: { name: "--no-dashboard", command: "serve" } },
  redact: { shape: asList, reader: listOf(text) },
  maxBodyBytes: { shape: asNumber, reader: httpReaders.maxBodyBytes, default: formatSize(httpDefaults.maxBodyBytes) },
  maxStreams: number(0, 100_000, httpDefaults.maxStreams),
  maxConnections: number(1, 1_000_000, httpDefaults.maxConnections),
  requestsPerSecond: number(1, 1_000_000, httpDefaults.requestsPerSecond),
  ...ofMetrics,
})

const jobs = jobSettings.map(({ option, default: usual, fromText }) =>
  setting(`job.${option}`, { shape: fromText, reader: boundReaders[option], default: usual }),
)

const callTexts = {
  wait: formatDuration(callDefaults.waitMs),
  lease: formatDuration(callDefaults.leaseMs),
  fallback: callDefaults.fallback,
  fallbackFor: formatDuration(callDefaults.fallbackForMs),
}
const calls = Object.entries(callsReaders).map(([option, reader]) =>
  setting(`calls.${option}`, { shape: asDuration, reader, default: callTexts[option as keyof typeof callTexts] }),
)

const learning = Object.entries(presets).flatMap(([preset, { settings, defaults }]) =>
  Object.entries(settings).map(([option, { fromText, read, text: shown, fills }]) => {
    const usual = (defaults as unknown as Readonly<Record<string, number | null>>)[fills] ?? null
    return setting(`${preset}.${option}`, { shape: fromText, reader: read, default: shown(usual) })
  }),
)

export const settings: readonly Setting[] = [...everywhere, ...work, ...serve, ...jobs, ...calls, ...learning]

/** Variables that no file gives: secrets, and what says where the file is. */
export const otherVariables: readonly string[] = ["SLUICE_TOKEN", "SLUICE_READ_TOKEN", "SLUICE_CONFIG", "SLUICE_DEBUG"]

// Every number of every way to learn: the option that gives it, how that is read and written, and the field of the policy that it
// fills. The environment, the reference and the words for a policy are made from this table.

import { SluiceError, shown } from "../errors/index.ts"
import { type AdaptivePolicy, type LinearPolicy, linearDefaults, type ScoutPolicy, scoutDefaults } from "../limits/index.ts"
import { orNull, parseDuration, parseRate, type Reader, wholeNumber } from "../units/index.ts"
import { windowText } from "./window-text.ts"

export type Preset = AdaptivePolicy["preset"]

/** How a number is given, and how it is shown. */
interface Kind {
  readonly read: Reader<number | null>
  /** From the environment, where everything is text. */
  readonly fromText: (text: string) => unknown
  readonly text: (value: number | null) => string
}

const asIs = (text: string) => text
/** What is no number stays text: the reader then shows it as it was typed. */
const asNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : text)

const us: Reader<number> = (name, value) => parseDuration(name, value) * 1_000
const positiveUs: Reader<number> = (name, value) => {
  const found = us(name, value)
  if (found > 0) return found
  throw new SluiceError("invalid_option", `${name}: expected a duration above 0, got ${shown(value)}`)
}
/** A pace is kept as the distance between two starts. */
const distance: Reader<number> = (name, value) => {
  const { limit, perMs } = parseRate(name, value)
  return Math.max(1, Math.round((perMs * 1_000) / limit))
}

/** "5/s", and "10/3ms" where that is none: what gives the same distance again. */
export function paceText(everyUs: number): string {
  if (1_000_000 % everyUs === 0) return `${1_000_000 / everyUs}/s`
  const common = divisor(everyUs, 1_000)
  return `${1_000 / common}/${windowText(everyUs / common)}`
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

const kinds = {
  pace: { read: distance, fromText: asIs, text: (value) => paceText(value ?? 0) },
  duration: {
    read: us,
    fromText: (text) => (text === "0" ? 0 : text),
    text: (value) => (value === 0 ? "0" : windowText((value ?? 0) / 1_000)),
  },
  positive: { read: positiveUs, fromText: asIs, text: (value) => windowText((value ?? 0) / 1_000) },
  count: { read: wholeNumber(1, 1_000_000), fromText: asNumber, text: String },
  thousandths: { read: wholeNumber(1, 10_000), fromText: asNumber, text: String },
  countOrNone: {
    read: orNull(wholeNumber(0, 1_000_000_000)),
    fromText: (text) => (text === "none" ? null : asNumber(text)),
    text: (value) => String(value ?? "none"),
  },
} as const satisfies Record<string, Kind>

/** One number of a preset. */
export interface Setting extends Kind {
  readonly fills: string
}

function setting<Policy>(fills: Exclude<keyof Policy & string, "preset">, kind: keyof typeof kinds): Setting {
  return { fills, ...kinds[kind] }
}

const scoutSettings = {
  start: setting<ScoutPolicy>("startUs", "pace"),
  max: setting<ScoutPolicy>("leastUs", "pace"),
  min: setting<ScoutPolicy>("mostUs", "pace"),
  growAfter: setting<ScoutPolicy>("growAfter", "count"),
  growEvery: setting<ScoutPolicy>("growEveryUs", "positive"),
  canary: setting<ScoutPolicy>("canaryUs", "positive"),
  canarySlow: setting<ScoutPolicy>("canarySlowUs", "positive"),
  canaryLost: setting<ScoutPolicy>("canaryLostUs", "positive"),
  burst: setting<ScoutPolicy>("burst", "count"),
  gain: setting<ScoutPolicy>("gain", "thousandths"),
  gainMin: setting<ScoutPolicy>("gainLeast", "thousandths"),
  gainMax: setting<ScoutPolicy>("gainMost", "thousandths"),
  ease: setting<ScoutPolicy>("ease", "thousandths"),
  tolerated: setting<ScoutPolicy>("tolerated", "count"),
  toleratedEvery: setting<ScoutPolicy>("toleratedUs", "positive"),
  rest: setting<ScoutPolicy>("restUs", "positive"),
  restMax: setting<ScoutPolicy>("restMostUs", "positive"),
  window: setting<ScoutPolicy>("windowUs", "duration"),
  minDelay: setting<ScoutPolicy>("baseDelayUs", "duration"),
  maxRetries: setting<ScoutPolicy>("maxRetries", "countOrNone"),
}

const linearSettings = {
  step: setting<LinearPolicy>("stepUs", "positive"),
  max: setting<LinearPolicy>("mostUs", "positive"),
  probeAfter: setting<LinearPolicy>("probeAfter", "count"),
  minDelay: setting<LinearPolicy>("baseDelayUs", "duration"),
  slotEvery: setting<LinearPolicy>("slotUs", "positive"),
  floorDecay: setting<LinearPolicy>("floorDecayUs", "positive"),
  maxRetries: setting<LinearPolicy>("maxRetries", "countOrNone"),
}

interface PresetTable {
  readonly settings: Readonly<Record<string, Setting>>
  readonly defaults: AdaptivePolicy
  /** Of each pair the first is never the larger one, as the policy keeps them. */
  readonly ordered: readonly (readonly [option: string, option: string])[]
}

export const presets: Readonly<Record<Preset, PresetTable>> = {
  scout: {
    settings: scoutSettings,
    defaults: scoutDefaults,
    ordered: [
      ["max", "start"],
      ["start", "min"],
      ["canary", "canarySlow"],
      ["gainMin", "gain"],
      ["gain", "gainMax"],
      ["rest", "restMax"],
    ],
  },
  linear: { settings: linearSettings, defaults: linearDefaults, ordered: [["step", "max"]] },
}

/** SLUICE_LINEAR_PROBE_AFTER is `probeAfter` of the preset `linear`. */
export function environmentName(preset: string, option: string): string {
  return `SLUICE_${preset}_${option.replaceAll(/[A-Z]/g, "_$&")}`.toUpperCase()
}

export function numberIn(policy: AdaptivePolicy, { fills }: Setting): number | null {
  return (policy as unknown as Readonly<Record<string, number | null>>)[fills] ?? null
}

export interface AdaptiveSetting {
  readonly preset: Preset
  readonly option: string
  readonly environment: string
  /** As the option takes it; "none" for null. */
  readonly default: string
}

/** Every option of every preset: for the reference. */
export function adaptiveSettings(): readonly AdaptiveSetting[] {
  return (Object.keys(presets) as Preset[]).flatMap((preset) => {
    const { settings, defaults } = presets[preset]
    return Object.entries(settings).map(([option, one]) => ({
      preset,
      option,
      environment: environmentName(preset, option),
      default: one.text(numberIn(defaults, one)),
    }))
  })
}

/** "adaptive (scout)", and with those of its numbers that are not the default: "adaptive (linear: step 2s, maxRetries none)". */
export function adaptiveText(policy: AdaptivePolicy): string {
  const { settings, defaults } = presets[policy.preset]
  const others = Object.entries(settings).filter(([, one]) => numberIn(policy, one) !== numberIn(defaults, one))
  const numbers = others.map(([option, one]) => `${option} ${one.text(numberIn(policy, one))}`).join(", ")
  return `adaptive (${policy.preset}${numbers === "" ? "" : `: ${numbers}`})`
}

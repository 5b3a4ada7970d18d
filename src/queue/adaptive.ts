// How a limit learns, from its options: what is given, else what the environment says, else the default.

import { SluiceError, shown } from "../errors/index.ts"
import type { AdaptivePolicy } from "../limits/index.ts"
import { anything, type Duration, type Reader, readOptions } from "../units/index.ts"
import { environmentName, numberIn, type Preset, presets, type Setting } from "./adaptive-settings.ts"

export { type AdaptiveSetting, adaptiveSettings, environmentName } from "./adaptive-settings.ts"

export interface LearningOptions<Input = unknown> {
  /** The least distance between two starts, or how to find it in milliseconds from the input of a task: robots.txt, say. */
  readonly minDelay?: Duration | ((input: Input) => number | Duration)
  /** How often a task may be refused before it fails; null: any number of times. */
  readonly maxRetries?: number | null
}

/** Finds a limit that nobody has told. */
export interface ScoutOptions<Input = unknown> extends LearningOptions<Input> {
  readonly preset?: "scout"
  /** The pace to begin with, where the limit has no rate. */
  readonly start?: string
  /** The fastest and the slowest pace that it may come to. */
  readonly max?: string
  readonly min?: string
  /** Until the first refusal the pace doubles after so many answers and so long. */
  readonly growAfter?: number
  readonly growEvery?: Duration
  /** After a refusal one request at a time is sent: the first after this or more, each next after twice as long, above the second a little less. */
  readonly canary?: Duration
  readonly canarySlow?: Duration
  /** One that is not answered for so long is taken for lost. */
  readonly canaryLost?: Duration
  /** What the other side may let through at once. */
  readonly burst?: number
  /** By how much a probe is faster than what has held, in thousandths: at first, at least and at most. */
  readonly gain?: number
  readonly gainMin?: number
  readonly gainMax?: number
  /** By how much it gets slower, in thousandths, where what had held was refused for a moment. */
  readonly ease?: number
  /** Such a refusal is let pass if so much has passed since the last, and so long ago. */
  readonly tolerated?: number
  readonly toleratedEvery?: Duration
  /** How long it rests once the limit is known well enough; doubles up to the second. */
  readonly rest?: Duration
  readonly restMax?: Duration
  /** Once it rests it tries to count a window of this length, too short for an even pace to keep it well; 0: it does not. */
  readonly window?: Duration
}

/** Longer by a step with each refusal, shorter by a step after many answers. */
export interface LinearOptions<Input = unknown> extends LearningOptions<Input> {
  readonly preset: "linear"
  readonly step?: Duration
  /** The longest distance. */
  readonly max?: Duration
  /** Answers in a row before a step less is tried. */
  readonly probeAfter?: number
  /** A slot less for each of these that the distance is above the least. */
  readonly slotEvery?: Duration
  /** A floor sinks by a step each time so long has passed. */
  readonly floorDecay?: Duration
}

export type AdaptiveOption<Input = unknown> = boolean | AdaptivePolicy["preset"] | ScoutOptions<Input> | LinearOptions<Input>

export interface ReadAdaptive {
  readonly policy: AdaptivePolicy
  readonly delayOf: ((input: unknown) => unknown) | null
}

/** Null: it does not learn. */
export function readAdaptive(name: string, value: unknown): ReadAdaptive | null {
  if (value === false) return null
  const { preset: asked = "scout", ...given } = asOptions(name, value)
  if (typeof asked !== "string" || !Object.hasOwn(presets, asked))
    throw new SluiceError("invalid_option", `${name}: preset: expected scout or linear, got ${shown(asked)}`)
  const preset = asked as Preset
  const { settings, defaults } = presets[preset]
  const delayOf = typeof given.minDelay === "function" ? (given.minDelay as (input: unknown) => unknown) : null
  const readers = Object.fromEntries(Object.entries(settings).map(([option, { read }]) => [option, read as Reader<unknown>]))
  const read = readOptions(name, delayOf ? { ...given, minDelay: undefined } : given, readers)
  const policy: Record<string, unknown> = { ...defaults }
  for (const [option, setting] of Object.entries(settings)) {
    const found = read[option] === undefined ? fromEnvironment(environmentName(preset, option), setting) : read[option]
    if (found !== undefined) policy[setting.fills] = found
  }
  return { policy: inOrder(name, policy as unknown as AdaptivePolicy), delayOf }
}

function asOptions(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === true) return {}
  if (typeof value === "string") return { preset: value }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return anything<Readonly<Record<string, unknown>>>()(name, value)
  throw new SluiceError("invalid_option", `${name}: expected true, "scout", "linear" or { preset, … }, got ${shown(value)}`)
}

/** An empty variable counts as none, as everywhere in a shell. */
function fromEnvironment(variable: string, { read, fromText }: Setting): number | null | undefined {
  const text = process.env[variable]
  return text === undefined || text === "" ? undefined : read(variable, fromText(text))
}

/** Bounds that exclude each other are a misunderstanding, wherever they come from. */
function inOrder(name: string, policy: AdaptivePolicy): AdaptivePolicy {
  const { settings, ordered } = presets[policy.preset]
  for (const [small, large] of ordered) {
    const [less, more] = [settings[small], settings[large]]
    if (!less || !more) continue
    const [a, b] = [numberIn(policy, less), numberIn(policy, more)]
    if (a === null || b === null || a <= b) continue
    throw new SluiceError(
      "invalid_option",
      `${name}: expected ${small} and ${large} in their order, got ${small} ${less.text(a)} and ${large} ${more.text(b)}`,
    )
  }
  return policy
}

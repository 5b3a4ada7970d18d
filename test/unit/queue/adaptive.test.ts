// How a limit learns, from its options and the environment to a policy in whole numbers; and what is refused.

import { deepEqual, equal, ok, throws } from "node:assert/strict"
import { afterEach, describe, it } from "node:test"
import { type AdaptiveOption, type AdaptivePolicy, defineLimit, defineTask, type ErrorCode } from "../../../src/index.ts"
import { linearDefaults, scoutDefaults } from "../../../src/limits/index.ts"
import { adaptiveSettings, environmentName } from "../../../src/queue/adaptive.ts"
import { presets } from "../../../src/queue/adaptive-settings.ts"
import { gatesOf, policyText } from "../../../src/queue/index.ts"

const run = () => null
const defaults = { scout: scoutDefaults, linear: linearDefaults } as const
type Preset = keyof typeof defaults

/** As somebody may write it, whom no types watch. */
function policyOf(adaptive: unknown): AdaptivePolicy | undefined {
  return defineLimit("api", { rate: "1/s", adaptive: adaptive as AdaptiveOption }).policy.adaptive
}

/** For each option: what is given, and what the policy has then. */
const options: { readonly [P in Preset]: Readonly<Record<string, readonly [given: unknown, fills: string, value: number | null]>> } = {
  scout: {
    start: ["4/s", "startUs", 250_000],
    max: ["100/s", "leastUs", 10_000],
    min: ["1/1m", "mostUs", 60_000_000],
    growAfter: [7, "growAfter", 7],
    growEvery: ["9s", "growEveryUs", 9_000_000],
    canary: ["2s", "canaryUs", 2_000_000],
    canarySlow: ["41s", "canarySlowUs", 41_000_000],
    canaryLost: ["11s", "canaryLostUs", 11_000_000],
    burst: [33, "burst", 33],
    gain: [90, "gain", 90],
    gainMin: [12, "gainLeast", 12],
    gainMax: [601, "gainMost", 601],
    ease: [21, "ease", 21],
    tolerated: [77, "tolerated", 77],
    toleratedEvery: ["4m", "toleratedUs", 240_000_000],
    rest: ["33s", "restUs", 33_000_000],
    restMax: ["1h", "restMostUs", 3_600_000_000],
    window: ["2s", "windowUs", 2_000_000],
    minDelay: ["1.5s", "baseDelayUs", 1_500_000],
    maxRetries: [8, "maxRetries", 8],
  },
  linear: {
    step: ["250ms", "stepUs", 250_000],
    max: ["2m", "mostUs", 120_000_000],
    probeAfter: [7, "probeAfter", 7],
    minDelay: [0, "baseDelayUs", 0],
    slotEvery: ["3s", "slotUs", 3_000_000],
    floorDecay: ["1h", "floorDecayUs", 3_600_000_000],
    maxRetries: [null, "maxRetries", null],
  },
}

const kept = { ...process.env }
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name]
})

describe("adaptive", () => {
  it("is a preset with its defaults, or nothing", () => {
    for (const given of [true, "scout", {}, { preset: "scout" }, { preset: undefined }]) deepEqual(policyOf(given), scoutDefaults)
    for (const given of ["linear", { preset: "linear" }]) deepEqual(policyOf(given), linearDefaults)
    deepEqual([policyOf(false), policyOf(undefined)], [undefined, undefined])
    deepEqual(defineLimit("api", { adaptive: true }).policy, { rates: [], concurrency: null, adaptive: scoutDefaults })
    equal(defineLimit("api", { adaptive: true, quota: "tokens" }).policy.quota, "tokens")
  })

  for (const preset of ["scout", "linear"] as const) {
    const settings = adaptiveSettings().filter((one) => one.preset === preset)

    it(`${preset} has an option for each of its numbers`, () => {
      const filled = Object.values(presets[preset].settings).map(({ fills }) => fills)
      deepEqual([...filled, "preset"].sort(), Object.keys(defaults[preset]).sort())
      deepEqual(
        settings.map(({ option }) => option),
        Object.keys(options[preset]),
      )
    })

    for (const [option, [given, fills, value]] of Object.entries(options[preset])) {
      const variable = environmentName(preset, option)

      it(`${preset}: ${option} fills ${fills}, and so does ${variable}`, () => {
        const expected = { ...defaults[preset], [fills]: value }
        deepEqual(policyOf({ preset, [option]: given }), expected)
        process.env[variable] = given === null ? "none" : String(given)
        deepEqual(policyOf(preset), expected)
        deepEqual(policyOf(preset === "scout" ? "linear" : "scout"), defaults[preset === "scout" ? "linear" : "scout"])
        process.env[variable] = ""
        deepEqual(policyOf(preset), defaults[preset])
      })
    }

    it(`${preset}: the default of each option, given as an option, is the default`, () => {
      for (const { option, environment, default: text } of settings) {
        process.env[environment] = text
        deepEqual(policyOf(preset), defaults[preset], `${option} ${text}`)
      }
    })
  }

  it("an option goes before the environment, and the environment before the default", () => {
    process.env.SLUICE_LINEAR_STEP = "3s"
    process.env.SLUICE_LINEAR_MAX_RETRIES = "none"
    process.env.SLUICE_LINEAR_PROBE_AFTER = "5"
    deepEqual(policyOf({ preset: "linear", step: "7s", maxRetries: 0 }), {
      ...linearDefaults,
      stepUs: 7_000_000,
      maxRetries: 0,
      probeAfter: 5,
    })
    deepEqual(policyOf("linear"), { ...linearDefaults, stepUs: 3_000_000, maxRetries: null, probeAfter: 5 })
    process.env.SLUICE_LINEAR_MAX_RETRIES = "9"
    equal(policyOf({ preset: "linear", maxRetries: null })?.maxRetries, null)
  })

  it("the variable of each option is in the words of the shell", () => {
    equal(environmentName("linear", "probeAfter"), "SLUICE_LINEAR_PROBE_AFTER")
    equal(environmentName("scout", "max"), "SLUICE_SCOUT_MAX")
  })

  it("a variable that is wrong is named", () => {
    const duration = 'expected a duration such as "500ms", "30s", "5m", "1h" or "7d"'
    for (const [variable, text, preset, message, code] of [
      ["SLUICE_LINEAR_STEP", "3", "linear", `${duration}, got "3" (a number has no unit: write "3s" for seconds)`, "invalid_duration"],
      ["SLUICE_LINEAR_STEP", "0s", "linear", 'expected a duration above 0, got "0s"', "invalid_option"],
      ["SLUICE_LINEAR_PROBE_AFTER", "many", "linear", 'expected a whole number from 1 to 1000000, got "many"', "invalid_option"],
      ["SLUICE_LINEAR_PROBE_AFTER", "1.5", "linear", 'expected a whole number from 1 to 1000000, got "1.5"', "invalid_option"],
      ["SLUICE_LINEAR_PROBE_AFTER", "none", "linear", 'expected a whole number from 1 to 1000000, got "none"', "invalid_option"],
      ["SLUICE_SCOUT_START", "5", "scout", 'expected a rate such as "10/10s", "100/1m" or "3/s", got "5"', "invalid_rate"],
      ["SLUICE_SCOUT_MAX_RETRIES", "-1", "scout", 'expected a whole number from 0 to 1000000000, got "-1"', "invalid_option"],
    ] as const) {
      process.env[variable] = text
      throws(() => policyOf(preset), { code: code satisfies ErrorCode, message: `${variable}: ${message}` })
      delete process.env[variable]
    }
  })

  for (const [given, message] of [
    [{ preset: "cubic" }, 'preset: expected scout or linear, got "cubic"'],
    ["toString", 'preset: expected scout or linear, got "toString"'],
    [{ preset: 1 }, "preset: expected scout or linear, got 1"],
    [null, 'expected true, "scout", "linear" or { preset, … }, got null'],
    [1, 'expected true, "scout", "linear" or { preset, … }, got 1'],
    [["linear"], 'expected true, "scout", "linear" or { preset, … }, got an array'],
    [{ preset: "linear", stepp: "1s" }, 'unknown option "stepp"; did you mean "step"?'],
    [{ step: "1s" }, 'unknown option "step"'],
    [{ preset: "linear", probeAfter: 0 }, "probeAfter: expected a whole number from 1 to 1000000, got 0"],
    [{ preset: "linear", maxRetries: -1 }, "maxRetries: expected a whole number from 0 to 1000000000, got -1"],
    [{ preset: "linear", step: 0 }, "step: expected a duration above 0, got 0"],
    [{ preset: "linear", step: "2m" }, "expected step and max in their order, got step 2m and max 1m"],
    [{ max: "1/s", start: "2/s" }, "expected max and start in their order, got max 1/s and start 2/s"],
    [{ min: "10/s" }, "expected start and min in their order, got start 1/s and min 10/s"],
    [{ rest: "1h" }, "expected rest and restMax in their order"],
    [{ gainMin: 999 }, "expected gainMin and gain in their order"],
    [{ gain: 0 }, "gain: expected a whole number from 1 to 10000, got 0"],
  ] as const) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      throws(
        () => policyOf(given),
        (error: Error) => {
          ok(error.message.startsWith('limit "api": adaptive: '), error.message)
          ok(error.message.includes(message), error.message)
          return true
        },
      )
    })
  }
})

describe("minDelay", () => {
  const delayOf = (minDelay: unknown, input: unknown, preset: Preset = "linear") => {
    const limit = defineLimit("api", { adaptive: { preset, minDelay } as AdaptiveOption })
    return gatesOf(defineTask("call", { limits: [limit], run }), input).refs[0]
  }

  it("of the limit stands in its policy, and a task says nothing of it", () => {
    deepEqual(delayOf("2s", {}), { limit: "api", key: "", cost: 1 })
  })

  it("from the input is milliseconds or a duration, and stands in the task", () => {
    for (const preset of ["scout", "linear"] as const) {
      const from = (ms: unknown) => delayOf((input: { ms: unknown }) => input.ms, { ms }, preset)?.delayMs
      deepEqual([from(1_500), from("1.5s"), from(0), from("0ms"), from(0.2), from(86_400_000)], [1_500, 1_500, 0, 0, 1, 86_400_000])
    }
    const limit = defineLimit("api", { adaptive: { preset: "linear", minDelay: () => "1s" } })
    deepEqual(limit.policy.adaptive, linearDefaults)
    process.env.SLUICE_LINEAR_MIN_DELAY = "0"
    equal(policyOf({ preset: "linear", minDelay: () => "1s" })?.baseDelayUs, 0)
  })

  it("that makes no sense is refused with the input", () => {
    for (const [given, message] of [
      [-1, "expected milliseconds from 0 to a day, got -1"],
      [Number.NaN, "expected milliseconds from 0 to a day, got NaN"],
      [86_400_001, "expected milliseconds from 0 to a day, got 86400001"],
      ["fast", 'expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got "fast"'],
      [undefined, 'expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got undefined'],
    ] as const) {
      throws(() => delayOf(() => given, {}), { message: `limit "api": minDelay: ${message}` })
    }
    throws(() => delayOf((input: { host: { delay: number } }) => input.host.delay, {}), { code: "invalid_input" })
  })
})

describe("a policy that learns, in words", () => {
  const text = (adaptive: AdaptiveOption, others: object = {}) => policyText(defineLimit("api", { adaptive, ...others }).policy)

  it("is short where every number is the default, else names those that are not", () => {
    equal(text(true), "adaptive (scout)")
    equal(text("linear", { concurrency: 5 }), "5 at once, adaptive (linear)")
    equal(text({ preset: "linear", step: "2s", max: "90s", maxRetries: null }), "adaptive (linear: step 2s, max 1m 30s, maxRetries none)")
    equal(text({ start: "5/s", max: "1500/s", min: "2/3s" }), "adaptive (scout: start 5/s, max 1000/667ms, min 1/1500ms)")
    equal(text(true, { quota: "tokens", rate: "10/10s", provider: "sliding" }), "10/10s (sliding), adaptive (scout), quota tokens")
  })

  it("tells any two policies apart", () => {
    const texts = (["scout", "linear"] as const).flatMap((preset) =>
      Object.entries(options[preset]).map(([option, [given]]) => text({ preset, [option]: given } as AdaptiveOption)),
    )
    equal(new Set([...texts, text(true), text("linear")]).size, texts.length + 2)
  })
})

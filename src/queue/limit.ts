// A limit: a named policy that any number of task types share. Called with a key it gives a gate: one limit for one key.

import { SluiceError, shown } from "../errors/index.ts"
import type { GatePolicy } from "../limits/index.ts"
import { type Duration, parseFreeName, parseKey, readOptions } from "../units/index.ts"
import { type LearningPolicyOptions, learningReaders, policyOf, policyReaders } from "./policy.ts"

/** One gate that a task passes. Made by calling a limit. */
export interface Gate {
  readonly limit: AnyLimit
  /** "" where the limit is not split. */
  readonly key: string
  /** Null: what the task costs. */
  readonly cost: number | null
  /** Null: the cost is what it is, or what was learned where none is given. */
  readonly most: number | null
}

export interface CostOptions {
  /** How much of the rate one run takes; that of the task if not given, else 1. */
  readonly cost?: number
}

export interface GateOptions extends CostOptions {
  /** How much one run takes at most: what lies between is learned from `ctx.spent`. */
  readonly maxCost?: number
}

export interface Limit<Input = unknown> {
  /** The limit as a whole, not split by a key. */
  (): Gate
  (key: string, options?: GateOptions): Gate
  readonly name: string
  readonly policy: GatePolicy
  /** The key of a task's input, for a limit that is listed in a plain array. */
  readonly keyOf: ((input: Input) => string) | null
  /** The least distance between two starts, from a task's input. */
  readonly delayOf: ((input: Input) => number | Duration) | null
}

/** Any limit, whatever input its key is made from. */
export interface AnyLimit {
  (): Gate
  (key: string, options?: GateOptions): Gate
  readonly name: string
  readonly policy: GatePolicy
  readonly keyOf: ((input: never) => string) | null
  readonly delayOf: ((input: never) => number | Duration) | null
}

export interface LimitOptions<Input = unknown> extends LearningPolicyOptions<Input> {
  /** Splits the limit by the input of the task, where it is listed in a plain array. */
  readonly key?: (input: Input) => string
}

/** A named limit that any number of tasks share: rates, a concurrency, or one that learns. Called with a key it gives one gate: `api("host-1")`. */
export function defineLimit<Input = unknown>(name: string, options: LimitOptions<Input>): Limit<Input> {
  const where = `limit ${shown(name)}`
  const { key, ...others } = readOptions(where, options, { key: readFunction, ...policyReaders, ...learningReaders })
  const policy = policyOf(where, others)
  parseFreeName("limit name", name)
  // The number of arguments tells a key that is missing from a limit that is not split: api(input.host) without a host is a mistake.
  const gate = (...given: readonly unknown[]): Gate => {
    const { cost, maxCost } = readOptions(where, given[1], { cost: readCost, maxCost: readCost })
    if (maxCost !== undefined && maxCost < (cost ?? 1))
      throw new SluiceError("invalid_cost", `${where}: maxCost: expected the cost of ${cost} or more, got ${maxCost}`)
    const key = given.length === 0 ? "" : parseKey(`${where}: key`, given[0])
    return { limit: limit as AnyLimit, key, cost: cost ?? null, most: maxCost ?? null }
  }
  const limit = Object.defineProperties(gate, {
    name: { value: name },
    policy: { value: policy },
    keyOf: { value: key ?? null },
    delayOf: { value: others.adaptive?.delayOf ?? null },
  }) as Limit<Input>
  return limit
}

export function readFunction(name: string, value: unknown): (input: unknown) => never {
  if (typeof value === "function") return value as (input: unknown) => never
  throw new SluiceError("invalid_option", `${name}: expected a function of the input, got ${shown(value)}`)
}

export function readCost(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value
  throw new SluiceError("invalid_cost", `${name}: expected a whole number, 1 or more, got ${shown(value)}`)
}

/** Recognised by shape, because the module may have been loaded with its own copy of this package. */
export function isLimit(value: unknown): value is AnyLimit {
  return typeof value === "function" && "policy" in value && "keyOf" in value
}

export function isGate(value: unknown): value is Gate {
  if (typeof value !== "object" || value === null) return false
  const candidate = value as Partial<Gate>
  return isLimit(candidate.limit) && typeof candidate.key === "string"
}

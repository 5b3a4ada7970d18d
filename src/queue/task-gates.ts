// Which gates a task passes, and which flow it belongs to: from its definition and its parsed input, or by hand.

import { isSluiceError, SluiceError, shown } from "../errors/index.ts"
import { type GateRef, gateName } from "../task/index.ts"
import { parseDuration, parseFreeName, parseKey, readOptions } from "../units/index.ts"
import type { AnyTask } from "./definition.ts"
import { type AnyLimit, type Gate, isGate, isLimit, type Limit, readCost } from "./limit.ts"

/** From the input, or the same limits for every input. */
export type TaskLimits<Parsed> = ((input: Parsed) => readonly Gate[]) | readonly (Limit<Parsed> | Gate)[]

/** By hand: "limit/key", "limit" for one that is not split, or with a cost. */
export type GateInput = string | { readonly limit: string; readonly key?: string; readonly cost?: number }

export interface TaskGates {
  readonly refs: readonly GateRef[]
  /** Those that the gates belong to. */
  readonly limits: readonly AnyLimit[]
}

/** A claim looks at every gate of a task. */
const mostGates = 32
const noGates: TaskGates = { refs: [], limits: [] }

export function gatesOf(task: AnyTask, input: unknown): TaskGates {
  const { limits, cost, type } = task
  if (typeof limits !== "function" && limits.length === 0) return noGates
  const where = `limits of ${type}`
  const listed = typeof limits === "function" ? gatesFrom(where, limits as (input: unknown) => unknown, input) : limits
  const gates = listed.map((one) => (isGate(one) ? one : gateFor(one as AnyLimit, input)))
  const common = gates.some((gate) => gate.cost === null) ? costOf(`cost of ${type}`, cost, input) : 1
  const refs = gates.map((gate) => refOf(gate, gate.cost ?? common, input))
  return { refs: checkGates(where, refs), limits: gates.map(({ limit }) => limit) }
}

/** Null where the task's definition does not say. */
export function flowOf({ fairBy, type }: AnyTask, input: unknown): string | null {
  if (fairBy === null) return null
  const where = `fairBy of ${type}`
  return parseKey(
    where,
    called(where, () => (fairBy as (input: unknown) => unknown)(input)),
  )
}

function gatesFrom(where: string, limits: (input: unknown) => unknown, input: unknown): readonly Gate[] {
  const given = called(where, () => limits(input))
  if (!Array.isArray(given)) throw invalid(`${where}: expected an array of gates such as [api("key")], got ${shown(given)}`)
  for (const [i, gate] of given.entries()) {
    if (isGate(gate)) continue
    const got = isLimit(gate) ? `the limit itself; call it: ${gate.name}(key), or ${gate.name}() where it is not split` : shown(gate)
    throw invalid(`${where}[${i}]: expected a gate such as api("key"), got ${got}`)
  }
  return given
}

function gateFor(limit: AnyLimit, input: unknown): Gate {
  const { keyOf, name } = limit
  if (keyOf === null) return { limit, key: "", cost: null, most: null }
  const where = `limit ${shown(name)}: key`
  return {
    limit,
    key: parseKey(
      where,
      called(where, () => (keyOf as (input: unknown) => unknown)(input)),
    ),
    cost: null,
    most: null,
  }
}

function refOf({ limit, key, most }: Gate, cost: number, input: unknown): GateRef {
  const { delayOf, name } = limit
  const where = `limit ${shown(name)}: minDelay`
  const ref: GateRef = { limit: name, key, cost, ...(most === null ? {} : { most: Math.max(cost, most) }) }
  if (!delayOf) return ref
  const given = called(where, () => (delayOf as (input: unknown) => unknown)(input))
  return { ...ref, delayMs: typeof given === "number" ? readMs(where, given) : parseDuration(where, given) }
}

function readMs(where: string, ms: number): number {
  if (ms >= 0 && ms <= 86_400_000) return Math.ceil(ms)
  throw invalid(`${where}: expected milliseconds from 0 to a day, got ${shown(ms)}`)
}

function costOf(where: string, cost: AnyTask["cost"], input: unknown): number {
  if (typeof cost !== "function") return cost
  return readCost(
    where,
    called(where, () => (cost as (input: unknown) => unknown)(input)),
  )
}

/** The functions of a definition are its author's; what they throw is about this input. */
function called(where: string, call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (isSluiceError(error)) throw error
    const message = error instanceof Error ? error.message : shown(error)
    throw new SluiceError("invalid_input", `${where}: expected a function that takes this input, but it threw: ${message}`, {
      cause: error,
    })
  }
}

export function checkGates(where: string, gates: readonly GateRef[]): readonly GateRef[] {
  if (gates.length > mostGates) throw invalid(`${where}: expected at most ${mostGates} gates, got ${gates.length}`)
  const names = new Set<string>()
  for (const gate of gates) {
    const name = gateName(gate)
    if (names.has(name)) throw invalid(`${where}: expected each gate once, got ${name} twice; give it once, with the sum of the costs`)
    names.add(name)
  }
  return gates
}

/** An empty list would let a task pass that its code holds back; left out, a worker that has the code says which. */
export function readGates(name: string, value: unknown): readonly GateRef[] {
  if (!Array.isArray(value)) throw invalid(`${name}: expected an array of gates such as ["limit/key"], got ${shown(value)}`)
  if (value.length === 0) throw invalid(`${name}: expected at least one gate, got none; leave it out to have a worker say which`)
  return checkGates(
    name,
    value.map((one, i) => readGate(`${name}[${i}]`, one)),
  )
}

function readGate(name: string, value: unknown): GateRef {
  if (typeof value === "string") {
    // A name has no "/"; a key may have more of them.
    const [limit = "", ...key] = value.split("/")
    return { limit: parseFreeName(`${name}: limit`, limit), key: key.length === 0 ? "" : parseKey(`${name}: key`, key.join("/")), cost: 1 }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(`${name}: expected "limit/key" or { limit, key, cost }, got ${shown(value)}`)
  const { limit, key, cost } = readOptions(name, value, { limit: parseFreeName, key: parseKeyOrNone, cost: readCost })
  return { limit: limit ?? parseFreeName(`${name}: limit`, undefined), key: key ?? "", cost: cost ?? 1 }
}

function parseKeyOrNone(name: string, value: unknown): string {
  return value === "" ? "" : parseKey(name, value)
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}

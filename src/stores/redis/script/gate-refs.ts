// The gates of a task as they are packed: an array each, false for none of them, true where nobody knows them yet.

import type { GateRef } from "../../../task/index.ts"
import type { StoredGateRef } from "../layout.ts"
import { Live } from "./live.ts"
import { isApart, type Place, trimmed } from "./packing.ts"
import type { Entry, Packed } from "./stored-task.ts"

/** What is not known yet is nil, as null is. */
export function toGates(stored: Place | undefined): readonly GateRef[] | null {
  if (!stored) return []
  if (isApart(stored)) return null
  const gates: GateRef[] = []
  for (const ref of stored as unknown as StoredGateRef[])
    gates.push(ref.length === 3 ? { limit: ref[0], key: ref[1], cost: ref[2] } : toRef(ref))
  return gates
}

function toRef([limit, key, cost, most, reserved, delayMs]: StoredGateRef): GateRef {
  return {
    limit,
    key,
    cost,
    most: (most as unknown as Place) || undefined,
    reserved: (reserved as unknown as Place) || undefined,
    delayMs: (delayMs as unknown as Place) || undefined,
  } as unknown as GateRef
}

/** Adds the names of the gates that a stored task passes. */
export function addGateNames(entry: Entry | undefined, names: string[]): void {
  const stored = entry?.live[Live.gates] as Place | undefined
  if (!stored || isApart(stored)) return
  for (const ref of stored as unknown as StoredGateRef[]) names.push(ref[1] === "" ? ref[0] : `${ref[0]}/${ref[1]}`)
}

export function packGates(gates: readonly GateRef[] | null): unknown {
  if (gates === null) return true
  if (gates.length === 0) return false
  const packed: Packed[] = []
  for (const { limit, key, cost, most, reserved, delayMs } of gates) {
    const isPlain = most === undefined && reserved === undefined && delayMs === undefined
    packed.push(isPlain ? [limit, key, cost] : trimmed([limit, key, cost, most ?? false, reserved ?? false, delayMs ?? false]))
  }
  return packed
}

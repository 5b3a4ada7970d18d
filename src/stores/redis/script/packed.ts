// Values as they are kept: MessagePack, which the server packs and unpacks by itself. What cannot have been written is told by the name of
// its key, for a person to decide about.

import { type SluiceError, shown } from "../../../errors/index.ts"
import { damaged } from "./context.ts"
import { fromSortable } from "./lua.ts"
import { cmsgpack } from "./server.ts"

declare function pcall<A extends unknown[], R extends unknown[]>(
  this: void,
  callee: (this: void, ...values: A) => LuaMultiReturn<R>,
  ...values: A
): LuaMultiReturn<[isSound: boolean, ...R]>

/** Whether there is a value at the offset, the offset behind it, and the value. */
export function unpackAt(this: void, text: string, offset: number): LuaMultiReturn<[isSound: boolean, offset: number, value: unknown]> {
  return pcall(cmsgpack.unpack_one, text, offset)
}

type Four = [first: unknown, second: unknown, third: unknown, fourth: unknown]

/** By its own type: that of what comes one by one is that of no list. */
const unpackSome = cmsgpack.unpack_limit as unknown as (
  this: void,
  text: string,
  limit: number,
  offset: number,
) => LuaMultiReturn<[offset: number, ...Four]>

/** The same of four values. */
export function unpackFour(this: void, text: string, offset: number): LuaMultiReturn<[isSound: boolean, offset: number, ...Four]> {
  return pcall(unpackSome, text, 4, offset)
}

/** What stands in the field of the key is no such thing. */
export function unreadable(key: string, field: string | number, expected: string, text: string): SluiceError {
  return damaged(`${shown(field)} (in ${key})`, expected, text)
}

/** The number of a gate from the member of an index: what names none would be due for ever. */
export function gateOf(member: string, key: string): number {
  const gate = fromSortable(member)
  if (gate === null) throw damaged(`a gate (in ${key})`, "its number", member)
  return gate
}

/** The record that was packed alone. */
export function unpacked<T extends object>(text: string, key: string, field: string | number): T {
  const [isSound, , value] = unpackAt(text, 0)
  if (isSound && typeof value === "object") return value as T
  throw unreadable(key, field, "a packed record", text)
}

/** For whoever goes through many: null where it cannot be read. */
export function unpackedIfSound<T extends object>(text: string): T | null {
  const [isSound, , value] = unpackAt(text, 0)
  return isSound && typeof value === "object" ? (value as T) : null
}

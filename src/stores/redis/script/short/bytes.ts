// Packed values, read and put together as bytes. A table for each task is what costs most: here there are numbers and texts alone, and what
// a step does not change is copied as it is.

import { texts } from "../builtins.ts"
import { cmsgpack } from "../server.ts"

export const sub = texts.sub
export const byte = texts.byte
export const char = texts.char
export const len = texts.len
export const pack = cmsgpack.pack

/** So many values from the offset on: the offset behind them, and they. */
type Unpack<Values extends unknown[]> = (this: void, text: string, count: number, offset: number) => LuaMultiReturn<[number, ...Values]>

/** The same function for each, by the types of what is expected there. */
const unpackLimit: unknown = cmsgpack.unpack_limit
type Any = unknown

export const unpackOne = unpackLimit as Unpack<[Any]>
export const unpackTwo = unpackLimit as Unpack<[Any, Any]>
export const unpackThree = unpackLimit as Unpack<[Any, Any, Any]>
export const unpackFour = unpackLimit as Unpack<[Any, Any, Any, Any]>
export const unpackFive = unpackLimit as Unpack<[Any, Any, Any, Any, Any]>
export const unpackSix = unpackLimit as Unpack<[Any, Any, Any, Any, Any, Any]>
export const unpackSeven = unpackLimit as Unpack<[Any, Any, Any, Any, Any, Any, Any]>
export const unpackNine = unpackLimit as Unpack<[Any, Any, Any, Any, Any, Any, Any, Any, Any]>

function gather(this: void, _next: number, ...values: Any[]): Any[] {
  return values
}

/** The type of what comes one by one is that of no list. */
const gathered = gather as unknown as (this: void, ...values: Any[]) => Any[]

export function unpackList(text: string, count: number, offset: number): Any[] {
  return gathered(...cmsgpack.unpack_limit(text, count, offset))
}

/** Small whole numbers are one byte: each is made once. */
export const small: string[] = []
for (let i = 0; i < 128; i++) small[i] = char(i)

/** A whole number, packed. */
export function packWhole(number: number): string {
  if (number < 0 || number > 0xffff) return pack(number)
  if (number < 128) return small[number] as string
  return number < 256 ? char(0xcc, number) : char(0xcd, Math.floor(number / 256), number % 256)
}

let time = -1
let packedTime = pack(time)

/** A time, packed: many have the same. */
export function packTime(ms: number): string {
  if (ms !== time) {
    time = ms
    packedTime = pack(ms)
  }
  return packedTime
}

/** A number, and nothing that only reads like one. What is no number at all raises an error. */
export function isNumber(value: Any): value is number {
  return (value as number) + 0 === value
}

/** What `false` is packed as, so often. */
export function falses(count: number): string {
  let text = ""
  for (let i = 0; i < count; i++) text += char(0xc2)
  return text
}

/** How an array of so many begins. */
export function arrayHead(count: number): string {
  return count < 16 ? char(0x90 + count) : char(0xdc, Math.floor(count / 256), count % 256)
}

/** How many an array has that begins there, and how many bytes say so; -1 where none begins. */
export function arrayAt(text: string, at: number): LuaMultiReturn<[count: number, bytes: number]> {
  const head = byte(text, at)
  if (head >= 0x90 && head <= 0x9f) return $multi(head - 0x90, 1)
  if (head === 0xdc) return $multi(byte(text, at + 1) * 256 + byte(text, at + 2), 3)
  return $multi(-1, 0)
}

// One command for many values. Lua hands over a few thousand of them at once: more go in pieces.

import { redis } from "./server.ts"

export type Values = (string | number)[]

/** Even, and a multiple of three no less: members with their scores, fields with their values stay together. */
const mostValues = 3_000

/** The command with all values; where there are none, nothing. */
export function callWith(command: string, key: string, values: Readonly<Values>): void {
  const count = values.length
  if (count === 0) return
  if (count <= mostValues) {
    redis.call(command, key, ...values)
    return
  }
  for (let from = 0; from < count; from += mostValues) {
    const piece: Values = []
    for (let i = from; i < count && i < from + mostValues; i++) piece.push(values[i] as string | number)
    redis.call(command, key, ...piece)
  }
}

/** Answers of one command, in the order of the values; false where there is nothing. */
export function askWith(command: string, key: string, values: Readonly<Values>): (string | false)[] {
  const count = values.length
  if (count === 0) return []
  if (count <= mostValues) return redis.call(command, key, ...values) as (string | false)[]
  const found: (string | false)[] = []
  for (let from = 0; from < count; from += mostValues) {
    const piece: Values = []
    for (let i = from; i < count && i < from + mostValues; i++) piece.push(values[i] as string | number)
    for (const one of redis.call(command, key, ...piece) as (string | false)[]) found.push(one)
  }
  return found
}

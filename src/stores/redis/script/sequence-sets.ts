// A set of sequence numbers, in order, of which there may be millions: cut into pieces of 512 numbers, each a set of whole numbers, which the
// server keeps in four to eight bytes each; and the pieces that there are, in a sorted set.

import { callWith, type Values } from "./batch.ts"
import { toNumber } from "./lua.ts"
import { redis } from "./server.ts"

/** As many as a set may have and still be a plain row of numbers. */
const pieceSize = 512

export function addSequences(key: string, numbers: readonly number[]): void {
  const pieces: Values = []
  eachPiece(numbers, (piece, values) => {
    callWith("SADD", `${key}:${piece}`, values)
    pieces.push(piece, piece)
  })
  callWith("ZADD", key, pieces)
}

export function removeSequences(key: string, numbers: readonly number[]): void {
  const empty: Values = []
  eachPiece(numbers, (piece, values) => {
    callWith("SREM", `${key}:${piece}`, values)
    if (redis.call("EXISTS", `${key}:${piece}`) === 0) empty.push(piece)
  })
  callWith("ZREM", key, empty)
}

/** The first of them, at most `limit`. */
export function firstSequences(key: string, limit: number): number[] {
  const found: number[] = []
  for (let at = 0; found.length < limit; at++) {
    const [piece] = redis.call("ZRANGE", key, at, at) as string[]
    if (piece === undefined) break
    for (const number of numbersIn(`${key}:${piece}`)) if (found.length < limit) found.push(number)
  }
  return found
}

/** The last of them before the given one (null: of all), at most `limit`, the last first. */
export function lastSequences(key: string, before: number | null, limit: number): number[] {
  const from = before === null ? "+inf" : Math.floor((before - 1) / pieceSize)
  const found: number[] = []
  for (let at = 0; found.length < limit; at++) {
    const [piece] = redis.call("ZREVRANGEBYSCORE", key, from, "-inf", "LIMIT", at, 1) as string[]
    if (piece === undefined) break
    const numbers = numbersIn(`${key}:${piece}`)
    for (let i = numbers.length - 1; i >= 0 && found.length < limit; i--) {
      const number = numbers[i] as number
      if (before === null || number < before) found.push(number)
    }
  }
  return found
}

/** In order. */
export function numbersIn(key: string): number[] {
  const numbers: number[] = []
  for (const member of redis.call("SMEMBERS", key) as string[]) numbers.push(toNumber(member) ?? 0)
  return numbers.sort((a, b) => a - b)
}

/** Numbers that come together are mostly neighbours. */
function eachPiece(numbers: readonly number[], each: (piece: number, values: Values) => void): void {
  const sorted = numbers.slice().sort((a, b) => a - b)
  let values: Values = []
  let piece = -1
  for (const number of sorted) {
    const own = Math.floor(number / pieceSize)
    if (own !== piece && values.length > 0) {
      each(piece, values)
      values = []
    }
    piece = own
    values.push(number)
  }
  if (values.length > 0) each(piece, values)
}

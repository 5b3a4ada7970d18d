// Which tasks have these sequence numbers, from the buckets of `order`.

import { orderSpan } from "../../layout.ts"
import { redis } from "../server.ts"

/** From so many of one bucket on it is quicker to read all of it. */
const wholeBucketFrom = 32

/** Places by their text, and the texts: quicker to look up than to read and to write. */
const placeOf: Record<string, number | undefined> = {}
const textOf: string[] = []
for (let i = 0; i < orderSpan; i++) {
  textOf[i] = `${i}`
  placeOf[`${i}`] = i
}

type Ids = Record<number, string | false | undefined>

/** In the order of the numbers; null where one of them is nobody's. */
export function idsOf(base: string, seqs: readonly number[]): string[] | null {
  const count = seqs.length
  const buckets: number[] = []
  const asked: Record<number, number[] | undefined> = {}
  let last = -1
  let places: number[] = []
  let size = 0
  for (let i = 0; i < count; i++) {
    const seq = seqs[i] as number
    const place = seq % orderSpan
    const bucket = (seq - place) / orderSpan
    if (bucket !== last) {
      last = bucket
      const known = asked[bucket]
      if (known === undefined) {
        places = []
        asked[bucket] = places
        buckets.push(bucket)
      } else places = known
      size = places.length
    }
    places[size] = place
    size++
  }
  const found: Record<number, Ids | undefined> = {}
  for (const bucket of buckets) found[bucket] = readBucket(base, bucket, asked[bucket] as number[])
  const ids: string[] = []
  last = -1
  let those: Ids = {}
  for (let i = 0; i < count; i++) {
    const seq = seqs[i] as number
    const place = seq % orderSpan
    const bucket = (seq - place) / orderSpan
    if (bucket !== last) {
      last = bucket
      those = found[bucket] as Ids
    }
    const id = those[place]
    if (id === undefined || id === false) return null
    ids[i] = id
  }
  return ids
}

/** By their places. */
function readBucket(base: string, bucket: number, places: readonly number[]): Ids {
  const key = `${base}order:${bucket}`
  const ids: Ids = {}
  const count = places.length
  if (count < wholeBucketFrom) {
    const asked: string[] = []
    for (let i = 0; i < count; i++) asked[i] = textOf[places[i] as number] as string
    const found = redis.call("HMGET", key, ...asked) as (string | false)[]
    for (let i = 0; i < count; i++) ids[places[i] as number] = found[i]
    return ids
  }
  const all = redis.call("HGETALL", key) as string[]
  const size = all.length
  for (let i = 0; i < size; i += 2) {
    const place = placeOf[all[i] as string]
    if (place !== undefined) ids[place] = all[i + 1]
  }
  return ids
}

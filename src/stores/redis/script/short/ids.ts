// Which tasks have these sequence numbers, from the buckets of `order`.

import { orderSpan } from "../../layout.ts"
import { redis } from "../server.ts"

/** From so many of one bucket on it is quicker to read all of it. */
const wholeBucketFrom = 32

/** Places by their text: quicker to look up than to read. */
const placeOf: Record<string, number | undefined> = {}
for (let i = 0; i < orderSpan; i++) placeOf[`${i}`] = i

/** In the order of the numbers; null where one of them is nobody's. */
export function idsOf(base: string, seqs: readonly number[]): string[] | null {
  const buckets: number[] = []
  const asked: Record<number, number[] | undefined> = {}
  let last = -1
  let places: number[] = []
  for (let i = 0; i < seqs.length; i++) {
    const seq = seqs[i] as number
    const place = seq % orderSpan
    const bucket = (seq - place) / orderSpan
    if (bucket !== last) {
      last = bucket
      places = asked[bucket] ?? []
      if (places.length === 0) {
        asked[bucket] = places
        buckets.push(bucket)
      }
    }
    places[places.length] = place
  }
  const idOfSeq: Record<number, string | false | undefined> = {}
  for (const bucket of buckets) readBucket(base, bucket, asked[bucket] as number[], idOfSeq)
  const ids: string[] = []
  for (let i = 0; i < seqs.length; i++) {
    const id = idOfSeq[seqs[i] as number]
    if (typeof id !== "string") return null
    ids[i] = id
  }
  return ids
}

function readBucket(base: string, bucket: number, places: readonly number[], idOfSeq: Record<number, string | false | undefined>): void {
  const key = `${base}order:${bucket}`
  const first = bucket * orderSpan
  if (places.length < wholeBucketFrom) {
    const ids = redis.call("HMGET", key, ...places) as (string | false)[]
    for (let i = 0; i < places.length; i++) idOfSeq[first + (places[i] as number)] = ids[i]
    return
  }
  const all = redis.call("HGETALL", key) as string[]
  const size = all.length
  for (let i = 0; i < size; i += 2) {
    const place = placeOf[all[i] as string]
    if (place !== undefined) idOfSeq[first + place] = all[i + 1]
  }
}

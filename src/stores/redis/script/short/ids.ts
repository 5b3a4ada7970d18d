// Which tasks have these sequence numbers, from the buckets of `order`.

import { orderSpan } from "../../layout.ts"
import { tonumber } from "../builtins.ts"
import { redis } from "../server.ts"

/** From so many of one bucket on it is quicker to read all of it. */
const wholeBucketFrom = 32

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
  for (let i = 0; i + 1 < all.length; i += 2) idOfSeq[first + tonumber(all[i])] = all[i + 1] as string
}

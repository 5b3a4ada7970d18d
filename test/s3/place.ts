// A namespace of a test's own, and ways to reach it that the test can bend: what a process sends passes through a hook.

import { openWith } from "../../src/stores/s3/index.ts"
import { Keys, recordsKeptMs } from "../../src/stores/s3/layout.ts"
import type { S3Store } from "../../src/stores/s3/store.ts"
import { systemWorld, type World } from "../../src/world/index.ts"
import { bucketClient } from "../engines/s3-bucket.ts"
import { s3Place } from "../engines/s3-place.ts"

type Fetch = World["fetch"]
export type Hook = (method: string, path: string, send: () => Promise<Response>) => Promise<Response>

export interface Place {
  readonly url: string
  readonly keys: Keys
  open(options?: { readonly hook?: Hook; readonly keptMs?: number; readonly query?: string }): Promise<S3Store>
  /** The names of all objects that begin so. */
  names(prefix: string): Promise<readonly string[]>
}

export async function place(): Promise<Place> {
  const { url, prefix } = await s3Place()
  const keys = new Keys(prefix, "default")
  return {
    ...{ url, keys },
    open: ({ hook, keptMs = recordsKeptMs, query = "" } = {}) =>
      openWith({ url: `${url}${query}`, namespace: "default", world: hook ? hooked(hook) : systemWorld }, keptMs),
    names: async (under) => {
      const found: string[] = []
      const client = bucketClient(url)
      for (let after = ""; ; ) {
        const query = { "list-type": "2", prefix: under, ...(after === "" ? {} : { "start-after": after }) }
        const reply = await client.send({ method: "GET", key: "", query })
        const text = Buffer.from(reply.body).toString("utf8")
        const page = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key)
        found.push(...page)
        after = page.at(-1) ?? ""
        if (!text.includes("<IsTruncated>true</IsTruncated>")) return found
      }
    },
  }
}

function hooked(hook: Hook): World {
  const fetch: Fetch = (url, init) => hook(init?.method ?? "GET", new URL(url).pathname, () => systemWorld.fetch(url, init))
  return { ...systemWorld, fetch }
}

/** So many records, each of one request. */
export async function writeRecords(store: S3Store, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await store.hello({ workerId: null, types: [], limits: [] })
}

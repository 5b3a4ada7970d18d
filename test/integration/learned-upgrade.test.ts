// What gates have learned outlives an upgrade: what an older version has stored lacks the fields that are new since. They are as of a gate
// that has learned nothing, and all others stay as they are; of what it has declared they are the defaults. What no version has written is
// still told as damage.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import Libsql from "libsql"
import { emptyLearned, type GatePolicy, type Learned, type ScoutPolicy } from "../../src/limits/index.ts"
import type { OpenStore } from "../../src/store/open.ts"
import type { ImageLine } from "../../src/stores/memory/image.ts"
import { open as openPostgres } from "../../src/stores/postgres/index.ts"
import { open as openRedis } from "../../src/stores/redis/index.ts"
import { open as openS3 } from "../../src/stores/s3/index.ts"
import { reach } from "../../src/stores/s3/reach.ts"
import { unpackRecord } from "../../src/stores/s3/record.ts"
import { Replica } from "../../src/stores/s3/replica.ts"
import { capture, saveSnapshot } from "../../src/stores/s3/snapshot.ts"
import { open as openSqlite } from "../../src/stores/sqlite/index.ts"
import { answer, quota } from "../../src/testing/conformance/answers.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { completed } from "../../src/testing/conformance/outcomes.ts"
import { scouting, through } from "../../src/testing/conformance/policies.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { systemWorld } from "../../src/world/index.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { postgresPlace } from "../engines/postgres-place.ts"
import { redisAdmin } from "../engines/redis-admin.ts"
import { redisPlace } from "../engines/redis-place.ts"
import { s3Place } from "../engines/s3-place.ts"

/** What the older version did not know yet, of each part one. */
const unknown = { quota: "most", scout: "wasBusy", latency: "deviationUs", slots: "passed", linear: "floorAtMs", margin: "shrunk" } as const

interface Place {
  readonly url: string
  /** Takes these fields, named by their path, out of what the gates have stored. */
  without(paths: readonly (readonly string[])[]): Promise<void>
  clear(): Promise<void> | void
}

/** For whoever has the state as a value. */
function strip(state: { learned?: unknown }, paths: readonly (readonly string[])[]): void {
  for (const path of paths) {
    let at = state as Record<string, unknown>
    for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>
    delete at[path.at(-1) ?? ""]
  }
}

const stores: Readonly<Record<string, { readonly open: OpenStore; place(): Promise<Place> }>> = {
  sqlite: {
    open: openSqlite,
    place: async () => {
      const folder = mkdtempSync(join(tmpdir(), "sluice-upgrade-"))
      return {
        url: `sqlite:${join(folder, "sluice.db")}`,
        without: async (paths) => {
          const file = new Libsql(join(folder, "sluice.db"))
          file.exec(`UPDATE gates SET state = json_remove(state, ${paths.map((path) => `'$.${path.join(".")}'`).join(", ")})`)
          file.close()
        },
        clear: () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  },
  postgres: {
    open: openPostgres,
    place: async () => {
      const { url, schema, clear } = await postgresPlace()
      return {
        ...{ url, clear },
        without: async (paths) => {
          const admin = await postgresAdmin(url)
          for (const path of paths) await admin.rows(`update ${schema}.gates set state = state #- $1`, path)
          await admin.close()
        },
      }
    },
  },
  redis: {
    open: openRedis,
    place: async () => {
      const { url, clear } = await redisPlace()
      const prefix = new URL(url).searchParams.get("prefix")
      return {
        ...{ url, clear },
        without: async (paths) => {
          const admin = await redisAdmin(url)
          const script = `
            local gates = redis.call("HGETALL", KEYS[1])
            for i = 1, #gates, 2 do
              local values = { cmsgpack.unpack(gates[i + 1]) }
              for _, path in ipairs(cjson.decode(ARGV[1])) do
                local at = values[16]
                for j = 1, #path - 1 do at = at[path[j]] end
                at[path[#path]] = nil
              end
              redis.call("HSET", KEYS[1], gates[i], cmsgpack.pack(unpack(values, 1, 16)))
            end
            return #gates`
          assert.equal(await admin.reply("EVAL", script, "1", `${prefix}:{default}:gates`, JSON.stringify(paths)), 2)
          admin.close()
        },
      }
    },
  },
  s3: {
    open: openS3,
    place: async () => {
      const { url } = await s3Place()
      return {
        url,
        without: async (paths) => {
          const { objects, keys } = await reach({ url, namespace: "default", world: systemWorld })
          const replica = new Replica()
          for (let number = 1; ; number++) {
            const { status, body } = await objects.read(keys.record(number))
            if (status === 404) break
            replica.apply(await unpackRecord(body), () => {})
          }
          const { head, lines } = capture(replica)
          const told = lines.map((line) => JSON.parse(JSON.stringify(line)) as ImageLine)
          for (const [kind, , , state] of told) if (kind === "gate") strip(state as object, paths)
          await saveSnapshot(objects, keys, { head, lines: told }, "older")
          objects.close()
        },
        clear: () => {},
      }
    },
  },
}

/** As a version declares it that does not know one of its numbers. */
function older({ adaptive, ...policy }: GatePolicy): GatePolicy {
  const { windowUs: _windowUs, ...known } = adaptive as ScoutPolicy
  return { ...policy, adaptive: known as ScoutPolicy }
}

const { parts } = emptyLearned
const everything: Learned = {
  version: 3,
  changedAtUs: Date.UTC(2026, 0, 28) * 1_000,
  quota: { ...parts.quota, limit: 100, remaining: 60, everyNs: 200_000_000, most: 7 },
  scout: { ...parts.scout, everyNs: 500_000_000, trust: 1, wasBusy: 1 },
  latency: { meanUs: 7, deviationUs: 7 },
  slots: { most: 7, passed: 7 },
  linear: { ...parts.linear, delayMs: 500, floorAtMs: 7 },
  margin: { ...parts.margin, marginUs: 7, shrunk: 7 },
  costs: { mail: { mean: 7, deviation: 7 } },
}

describe("what gates have learned", () => {
  for (const [name, { open, place }] of Object.entries(stores)) {
    it(`is kept by ${name} where an older version has stored it, and goes on from there`, async (test) => {
      const here = await place()
      const world = new VirtualWorld()
      const opened = async () => {
        const store = await open({ url: here.url, namespace: "default", world })
        test.after(() => store.close())
        return new Desk(store, world)
      }
      const before = await opened()
      await before.declare("vendor", older(scouting()))
      const taught = { learned: everything, everyUs: 500_000, slots: null }
      await before.store.changeLimit({ limit: "vendor", key: "", change: { kind: "teach", version: null, taught }, by: "me" })
      const { learned } = await before.gate("vendor")
      await before.store.close()
      const fields = Object.entries(unknown)
      await here.without([...fields.map(([part, field]) => ["learned", part, field]), ["learned", "costs", "mail", "deviation"]])
      const after = await opened()
      const expected = structuredClone(learned) as unknown as Record<string, Record<string, unknown>>
      for (const [part, field] of fields) {
        const empty = parts[part as keyof typeof unknown] as unknown as Record<string, unknown>
        assert.ok(field in empty, `expected ${part} to have a field ${field}`)
        Object.assign(expected[part] as object, { [field]: empty[field] })
      }
      expected.costs = { mail: { mean: 7, deviation: 0 } }
      assert.deepEqual((await after.gate("vendor")).learned, expected)
      assert.deepEqual((await after.gate("vendor")).policy, scouting())
      // It learns on: every number stays one.
      const task = await after.submit({ gates: through("vendor") })
      await world.advance(60_000)
      const worker = after.worker()
      const held = await worker.claimOne()
      assert.equal(held.id, task.id)
      await worker.settle(held, completed(), { heard: [answer("served", { limit: "vendor", quotas: [quota("requests", 50, 10_000)] })] })
      const { learned: more } = await after.gate("vendor")
      assert.ok((more?.version ?? 0) > (learned?.version ?? 0))
      for (const part of Object.keys(parts) as (keyof typeof unknown)[])
        for (const [field, value] of Object.entries(more?.[part] ?? {}))
          assert.ok(value === null || Number.isSafeInteger(value), `expected ${part}.${field} to be a whole number, got ${value}`)
      await after.store.close()
      await here.clear()
    })
  }
})

// A database with a full store in it, of which every run damages a copy.

import { randomBytes } from "node:crypto"
import { after } from "node:test"
import { open } from "../../src/stores/postgres/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { sharedPostgres } from "../engines/postgres.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { type Contents, fill } from "./full-store.ts"

export interface FullPostgres extends Contents {
  /** Runs on a copy, which goes away again. */
  onCopy<T>(run: (url: string) => Promise<T>): Promise<T>
}

export async function makeFullPostgres(): Promise<FullPostgres> {
  const shared = await sharedPostgres()
  const admin = await postgresAdmin(shared)
  const original = `fuzz_${randomBytes(6).toString("hex")}`
  const drop = (name: string) => admin.rows(`drop database if exists ${name} with (force)`)
  const urlOf = (name: string) => {
    const url = new URL(shared)
    url.pathname = `/${name}`
    return url.href
  }
  after(async () => {
    await drop(original)
    await admin.close()
  })
  await admin.rows(`create database ${original}`)
  const world = new VirtualWorld()
  const store = await open({ url: urlOf(original), namespace: "default", world })
  const other = await open({ url: urlOf(original), namespace: "other", world })
  const contents = await fill(store, other, world)
  await other.close()
  await store.close()
  let made = 0
  return {
    ...contents,
    onCopy: async (run) => {
      const copy = `${original}_${made++}`
      await admin.rows(`create database ${copy} template ${original}`)
      try {
        return await run(urlOf(copy))
      } finally {
        await drop(copy)
      }
    },
  }
}

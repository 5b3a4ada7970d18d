// A server on which no queue should be kept is refused when it is opened, and the message says what to do.

import assert from "node:assert/strict"
import { it } from "node:test"
import { noticeFor } from "../../src/stores/redis/describe.ts"
import { isBefore } from "../../src/stores/redis/info.ts"
import { adminOf, openRedis, ownServer, patience, submission } from "./kit.ts"
import { refusal } from "./refusal.ts"

it("one that evicts is refused", patience, async (test) => {
  const server = await ownServer(test, { args: ["--maxmemory-policy", "allkeys-lru"] })
  const error = await refusal(openRedis(test, server.url))
  assert.equal(error.code, "store_unfit")
  assert.match(error.message, /noeviction, got allkeys-lru.*CONFIG SET maxmemory-policy noeviction/)
})

it("a wrong password is told at once, and not shown", patience, async (test) => {
  const server = await ownServer(test, { args: ["--requirepass", "right"] })
  for (const credentials of ["", ":s3cret@", "me:s3cret@"]) {
    const error = await refusal(openRedis(test, `redis://${credentials}127.0.0.1:${server.port}?timeout=10m`))
    assert.equal(error.code, "store_denied")
    assert.doesNotMatch(error.message, /s3cret/)
  }
  const store = await openRedis(test, `redis://:right@127.0.0.1:${server.port}`)
  assert.ok((await store.now({})).nowMs > 0)
})

it("a user who may not publish is refused before anything is written", patience, async (test) => {
  const server = await ownServer(test)
  const admin = await adminOf(test, server.url)
  await admin.text("ACL", "SETUSER", "me", "on", ">s3cret", "~sluice:*", "+@all", "resetchannels")
  const url = `redis://me:s3cret@127.0.0.1:${server.port}`
  assert.equal((await refusal(openRedis(test, url))).code, "store_denied")
  assert.equal(await admin.text("DBSIZE"), "0")
  await admin.text("ACL", "SETUSER", "me", "&sluice:*", "-@dangerous", "+info")
  const store = await openRedis(test, url)
  await store.submit(submission("a"))
  assert.equal((await store.describe()).facts.maxmemory_policy, "noeviction")
})

it("a full server refuses, and says what is full", patience, async (test) => {
  const server = await ownServer(test)
  const store = await openRedis(test, server.url)
  await (await adminOf(test, server.url)).text("CONFIG", "SET", "maxmemory", "1")
  const error = await refusal(store.submit(submission("a")))
  assert.equal(error.code, "store_full")
  assert.match(error.message, /maxmemory/)
  assert.equal((await store.counts({ type: null })).byStatus.pending, 0, "expected to be able to look")
})

it("a replica is no place to write", patience, async (test) => {
  const [primary, replica] = [await ownServer(test, { args: ["--repl-diskless-sync-delay", "0"] }), await ownServer(test)]
  const admin = await adminOf(test, replica.url)
  await admin.text("REPLICAOF", "127.0.0.1", String(primary.port))
  await admin.until(async () => /master_link_status:up/.test(await admin.text("INFO", "replication")))
  const error = await refusal(openRedis(test, replica.url))
  assert.equal(error.code, "store_unavailable")
  assert.match(error.message, /replica/)
})

for (const [args, persistence, durability] of [
  [[], "none", /^none: everything is gone/],
  [["--save", "60 1000"], "rdb", /^snapshots: /],
  [["--appendonly", "yes"], "aof everysec", /^every second: /],
  [["--appendonly", "yes", "--appendfsync", "always"], "aof always", /^full: /],
  [["--appendonly", "yes", "--appendfsync", "no"], "aof no", /^left to the system: /],
] as const) {
  it(`what is kept is told: ${persistence}`, patience, async (test) => {
    const server = await ownServer(test, { args })
    const store = await openRedis(test, server.url)
    await store.submit(submission("a"))
    const { kind, durability: told, facts } = await store.describe()
    assert.equal(kind, "redis")
    assert.match(told, durability)
    assert.equal(facts.persistence, persistence)
    assert.equal(facts.server, `redis ${server.version}`)
    assert.equal(facts.pending, 1)
    assert.equal(facts.role, "primary")
  })
}

it("versions are compared as numbers", () => {
  for (const [a, b, expected] of [
    ["6.2.0", "6.2.0", false],
    ["6.0.20", "6.2.0", true],
    ["10.0.0", "9.9.9", false],
    ["7.2", "7.2.11", true],
  ] as const)
    assert.equal(isBefore(a, b), expected, `${a} before ${b}`)
})

it("a version with an open hole in its scripts is told", () => {
  for (const [name, version, wanted] of [
    ["redis", "7.0.15", "7.2.11"],
    ["redis", "7.2.10", "7.2.11"],
    ["redis", "6.2.20", null],
    ["redis", "8.2.2", null],
    ["redis", "8.4.0", null],
    ["valkey", "8.0.5", "8.0.6"],
    ["valkey", "8.1.4", null],
    ["valkey", "9.0.0", null],
  ] as const) {
    const notice = noticeFor({ name, version })
    if (wanted === null) assert.equal(notice, null, version)
    else assert.match(notice ?? "", new RegExp(`CVE-2025-49844.*${wanted}`))
  }
})

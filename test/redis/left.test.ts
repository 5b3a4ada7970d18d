// A long row of tasks in the middle of a lane that were cancelled: whoever meets it goes past it in pieces that grow, and once.

import assert from "node:assert/strict"
import { it } from "node:test"
import { adminOf, exchange, openRedis, ownServer, patience, submission } from "./kit.ts"

const cancelled = 4_000
const [first] = submission("").tasks

it("goes past thousands that were cancelled with few commands, once", patience, async (test) => {
  const server = await ownServer(test)
  const store = await openRedis(test, server.url)
  const submit = (ids: readonly string[]) => store.submit({ tasks: ids.map((id) => ({ ...first, id }) as NonNullable<typeof first>) })
  const named = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`)
  const gone = named("gone", cancelled)
  await submit(named("before", 10))
  for (let at = 0; at < cancelled; at += 1_000) await submit(gone.slice(at, at + 1_000))
  await submit(named("behind", 20))
  for (let at = 0; at < cancelled; at += 500) await store.cancel({ ids: gone.slice(at, at + 500) })
  const admin = await adminOf(test, server.url)
  const claim = async (number: number) => {
    await admin.text("CONFIG", "RESETSTAT")
    const { claimed } = await store.exchange(exchange(number))
    const { lrange = 0, hmget = 0 } = await admin.calls()
    return { ids: claimed.map(({ id }) => id), commands: lrange + hmget }
  }
  const claims = [await claim(1), await claim(2), await claim(3)]
  const behind = named("behind", 20)
  assert.deepEqual(
    claims.map(({ ids }) => ids),
    [named("before", 10), behind.slice(0, 10), behind.slice(10)],
  )
  const commands = claims.map((one) => one.commands)
  assert.ok(commands.every((count) => count < 100) && (commands[2] ?? 0) < 10, `expected few commands a claim, got ${commands}`)
})

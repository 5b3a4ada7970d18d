// Outcomes that nobody knows: whatever became of a create, what was asked is carried out once, and whoever asked is told what came of it.

import { deepEqual, equal, rejects } from "node:assert/strict"
import { it } from "node:test"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { Dice } from "../../src/testing/dice.ts"
import { systemWorld } from "../../src/world/index.ts"
import { type Hook, place } from "./place.ts"

const answer = (status: number) =>
  new Response(`<Error><Code>Test${status}</Code></Error>`, { status, headers: { date: new Date().toUTCString() } })
const broken = () => new TypeError("fetch failed: the line broke")

/** What happens to creates, one after the other; then nothing more. */
function inTurn(...turns: readonly ((send: () => Promise<Response>) => Promise<Response>)[]): { readonly hook: Hook; begin(): void } {
  let left: (typeof turns)[number][] = []
  const hook: Hook = async (method, path, send) => {
    const turn = method === "PUT" && path.includes("/log/") ? left.shift() : undefined
    return turn ? turn(send) : send()
  }
  const begin = () => {
    left = [...turns]
  }
  return { hook, begin }
}

const ways = {
  "the answer is lost": [
    async (send: () => Promise<Response>) => {
      await send()
      throw broken()
    },
  ],
  "it is lost before it arrives": [
    async () => {
      throw broken()
    },
  ],
  "it was carried out, and 500 or 409 is answered": [500, 409].map((status) => async (send: () => Promise<Response>) => {
    await send()
    return answer(status)
  }),
  "it was not carried out, and 500, 409, 503 or 429 is answered": [500, 409, 503, 429].map((status) => async () => answer(status)),
}

for (const [way, turns] of Object.entries(ways)) {
  it(`${way}: it is carried out once, and answered`, async () => {
    const here = await place()
    const line = inTurn(...turns)
    const store = await here.open({ hook: line.hook })
    const desk = new Desk(store, systemWorld as never)
    line.begin()
    const tasks = await desk.submitMany(2)
    const held = await desk.worker().claim()
    deepEqual(
      held.map(({ id, fence }) => [id, fence]),
      tasks.map(({ id }) => [id, 1]),
    )
    equal((await store.counts({ type: null })).byStatus.running, 2)
    const other = await here.open()
    deepEqual((await other.get({ ids: tasks.map(({ id }) => id) })).tasks, held)
    await store.close()
    await other.close()
  })
}

it("a create that arrives after it was given up on, and tried again, is refused or is the one", async () => {
  const here = await place()
  let arrive: () => Promise<Response> = async () => answer(500)
  const line = inTurn(async (send) => {
    arrive = send
    throw broken()
  })
  const late = inTurn(async (send) => {
    // The one that was thought lost arrives before this one.
    equal((await arrive()).status, 200)
    return send()
  })
  const store = await here.open({ hook: (method, path, send) => line.hook(method, path, () => late.hook(method, path, send)) })
  const desk = new Desk(store, systemWorld as never)
  line.begin()
  const asked = desk.newTask()
  const submitted = store.submit({ tasks: [asked] })
  late.begin()
  const answered = await submitted
  equal(answered.kind === "ok" && answered.tasks[0]?.created, true)
  equal((await store.counts({ type: null })).byStatus.pending, 1)
  await store.close()
})

it("a server that stays away is told as that, within the time that was given", async () => {
  const here = await place()
  let isAway = false
  const hook: Hook = async (_method, _path, send) => {
    if (isAway) throw broken()
    return send()
  }
  const store = await here.open({ hook, query: "&timeout=200ms" })
  isAway = true
  const desk = new Desk(store, systemWorld as never)
  await rejects(desk.submit(), { code: "store_unavailable" })
  await rejects(store.counts({ type: null }), { code: "store_unavailable" })
  isAway = false
  await desk.submit()
  equal((await store.counts({ type: null })).byStatus.pending, 1)
  await store.close()
})

it("four writers on bad lines: each task that was acknowledged is there once, and all have the same state", async () => {
  const here = await place()
  const dice = new Dice(7)
  const hook: Hook = async (method, _path, send) => {
    const roll = dice.random()
    if (roll < 0.1) return answer(503)
    if (roll < 0.14) throw broken()
    if (roll < 0.2) {
      await send()
      if (roll < 0.17 || method === "GET") throw broken()
      return answer(roll < 0.185 ? 500 : 409)
    }
    return send()
  }
  const stores = await Promise.all(Array.from({ length: 4 }, () => here.open({ hook })))
  const acknowledged = await Promise.all(
    stores.map(async (store) => {
      const desk = new Desk(store, systemWorld as never)
      const ids: string[] = []
      for (let i = 0; i < 12; i++) ids.push((await desk.submit()).id)
      return ids
    }),
  )
  const ids = acknowledged.flat()
  equal(new Set(ids).size, 48)
  const seen = await Promise.all(stores.map(async (store) => (await store.get({ ids })).tasks))
  for (const tasks of seen) deepEqual(tasks, seen[0])
  equal(
    seen[0]?.every((task) => task !== null && task.version === 1),
    true,
  )
  equal((await stores[0]?.counts({ type: null }))?.byStatus.pending, 48)
  for (const store of stores) await store.close()
})

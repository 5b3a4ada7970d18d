// Ids are UUIDs of version 7 that sort by the time they were made, also within one millisecond and when a clock steps back.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { idMaker } from "../../../src/task/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("ids", () => {
  it("are UUIDs of version 7 that carry their time", () => {
    const world = new VirtualWorld()
    const id = idMaker(world)()
    assert.match(id, uuid7)
    assert.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), world.wallMs())
  })

  it("sort in the order they were made, thousands in one millisecond", async () => {
    const world = new VirtualWorld()
    const next = idMaker(world)
    const ids = Array.from({ length: 10_000 }, next)
    await world.advance(1)
    ids.push(next())
    world.stepClock(-5_000)
    ids.push(next(), next())
    await world.advance(1)
    ids.push(next())
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, uuid7)
  })

  it("differ between two makers at the same time", () => {
    const world = new VirtualWorld()
    const [one, two] = [idMaker(world), idMaker(world)]
    assert.notEqual(one(), two())
  })
})

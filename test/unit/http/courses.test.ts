// The course of a learned distance: a point for each change, and of what is older than an hour only what held when it began.

import assert from "node:assert/strict"
import { it } from "node:test"
import { goneOn } from "../../../src/http/courses.ts"

const minuteMs = 60_000

it("a course has a point for each change", () => {
  let seen = goneOn([], 0, null)
  for (const [at, everyMs] of [null, 500, 500, 1_000, 1_000, null].entries()) seen = goneOn(seen, at * minuteMs, everyMs)
  assert.deepEqual(seen, [
    { atMs: 0, everyMs: null },
    { atMs: minuteMs, everyMs: 500 },
    { atMs: 3 * minuteMs, everyMs: 1_000 },
    { atMs: 5 * minuteMs, everyMs: null },
  ])
})

it("a course forgets what was over an hour ago, and keeps what held when the hour began", () => {
  const seen = [10, 20, 30].map((everyMs, i) => ({ atMs: i * 10 * minuteMs, everyMs }))
  assert.deepEqual(
    goneOn(seen, 75 * minuteMs, 30).map(({ everyMs }) => everyMs),
    [20, 30],
  )
  assert.deepEqual(
    goneOn(seen, 600 * minuteMs, 30).map(({ everyMs }) => everyMs),
    [30],
  )
})

it("a course that changes all the time stays bounded", () => {
  let seen = goneOn([], 0, 0)
  for (let i = 1; i < 1_000; i++) seen = goneOn(seen, i, i)
  assert.equal(seen.length, 120)
  assert.equal(seen.at(-1)?.everyMs, 999)
})

// What the dashboard makes of numbers, times, addresses and streams, before a browser shows it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { addressOf, parseAddress } from "../../../src/dashboard/address.ts"
import { EventReader } from "../../../src/dashboard/api/event-stream.ts"
import { arrivalsOf } from "../../../src/dashboard/text/arrivals.ts"
import { distanceText, durationText, exactText, leftText, relativeText } from "../../../src/dashboard/text/duration.ts"
import { shortJson } from "../../../src/dashboard/text/json.ts"
import { countText, percentText, rateText, timesText } from "../../../src/dashboard/text/number.ts"

describe("the dashboard's texts", () => {
  it("tell spans of time in their two largest units", () => {
    assert.deepEqual([0, 999, 1_000, 61_000, 3_600_000, 90_061_000].map(durationText), ["0ms", "999ms", "1s", "1m 1s", "1h", "1d 1h"])
    assert.deepEqual([340.25, 1_250, 125_000].map(distanceText), ["340.3ms", "1.25s", "2m 5s"])
  })

  it("count down to the end: one second is left until it is over", () => {
    assert.deepEqual([-5, 0, 1, 1_000, 1_001].map(leftText), ["now", "now", "1s", "1s", "2s"])
    assert.deepEqual([-61_500, -10, 20_000].map(relativeText), ["1m 1s ago", "now", "in 20s"])
  })

  it("write durations into fields as they are read again", () => {
    assert.deepEqual([10_000, 60_000, 90_000, 3_600_000, 250, 1_500].map(exactText), ["10s", "1m", "90s", "1h", "250ms", "1500ms"])
  })

  it("tell counts, rates and shares", () => {
    assert.deepEqual([0, 12_345, 1_234_567, 2_500_000_000].map(countText), ["0", "12,345", "1.23 M", "2.50 G"])
    assert.deepEqual([0, 1, 2, 12_345].map(timesText), ["0 times", "once", "2 times", "12,345 times"])
    assert.deepEqual([0, 120, 3.24, 0.5, 0.001].map(rateText), ["0/s", "120/s", "3.2/s", "30/min", "3.6/h"])
    assert.deepEqual([0, 0.001, 0.999, 1].map(percentText), ["0 %", "<1 %", "99 %", "100 %"])
  })

  it("tell how many arrived by what there is and what has ended", () => {
    const ended = { completed: 2, failed: 0.5, cancelled: 0, expired: 0 }
    const samples = [
      { at: "2026-01-28T12:00:00Z", waiting: 10, running: 5, ...ended },
      { at: "2026-01-28T12:00:10Z", waiting: 40, running: 5, ...ended },
      { at: "2026-01-28T12:00:20Z", waiting: 0, running: 0, ...ended },
    ]
    assert.deepEqual(arrivalsOf(samples), [0, 5.5, 0])
  })

  it("cut payloads in tables", () => {
    assert.equal(shortJson({ a: "x".repeat(100) }, 10), '{"a":"xxx…')
    assert.equal(shortJson(undefined, 10), "nothing")
  })
})

describe("the dashboard's addresses", () => {
  it("lead back to what they were made of, whatever an id holds", () => {
    for (const id of ["plain", "a/b?c#d&e=f", "ünï %2F", "<script>"]) {
      const address = parseAddress(addressOf("limits", id, { status: "failed", tag: "a b&c" }))
      assert.deepEqual(address, { page: "limits", id, query: { status: "failed", tag: "a b&c" } })
    }
  })

  it("lead to the overview where there is none, and nowhere where it is unknown", () => {
    assert.equal(parseAddress("").page, "overview")
    assert.equal(parseAddress("#/").page, "overview")
    assert.equal(parseAddress("#/nothing").page, null)
    assert.deepEqual(parseAddress("#/tasks/%E0%A4%A"), { page: "tasks", id: "%E0%A4%A", query: {} })
  })
})

describe("the dashboard's stream", () => {
  it("is read however it is cut in pieces", () => {
    const text = ': sluice\n\nevent: counts\ndata: {"pending":1}\n\n: ping\n\nevent: task\ndata: {"id":"x","value":null}\n\n'
    for (let size = 1; size <= text.length; size++) {
      const reader = new EventReader()
      const events = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        reader.read(text.slice(i * size, (i + 1) * size)),
      ).flat()
      assert.deepEqual(events, [
        { event: "counts", data: '{"pending":1}' },
        { event: "task", data: '{"id":"x","value":null}' },
      ])
    }
  })
})

// What the library gives, in the names of the wire.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { documentOf } from "../../../src/queue/document.ts"

const at = new Date("2026-01-28T12:00:00Z")

describe("documentOf", () => {
  it("has names in snake case and times as text, at every depth", () => {
    assert.deepEqual(
      documentOf({ opensAt: at, closedUntil: null, isPaused: false, levels: [{ perMs: 10_000, seenAt: at }], cooldown: { until: at } }),
      {
        opens_at: "2026-01-28T12:00:00Z",
        closed_until: null,
        is_paused: false,
        levels: [{ per_ms: 10_000, seen_at: "2026-01-28T12:00:00Z" }],
        cooldown: { until: "2026-01-28T12:00:00Z" },
      },
    )
  })

  it("calls what was learned by the names of the seed, in milliseconds and as text", () => {
    const learned = { errorStreak: 1, successStreak: 2, adaptiveDelayMs: 1_500, delayFloorMs: 500, nextAvailable: at, lastSuccess: null }
    assert.deepEqual(documentOf({ learned: { ...learned, everyMs: 1_500 } }), {
      learned: {
        error_streak: 1,
        success_streak: 2,
        adaptive_delay: 1_500,
        delay_floor: 500,
        next_available: "2026-01-28T12:00:00Z",
        last_success: null,
        every_ms: 1_500,
      },
    })
    assert.deepEqual(documentOf({ costs: { sendMail: { mean: 1 } } }), { costs: { sendMail: { mean: 1 } } })
  })

  it("leaves alone what has a document of its own, and keys that are data", () => {
    assert.deepEqual(documentOf({ aTask: { toJSON: () => ({ myInput: { camelCase: 1 } }) } }), { a_task: { myInput: { camelCase: 1 } } })
    assert.deepEqual(documentOf({ settings: { guildSeven: { overrideUntil: at }, "": { isPaused: true } } }), {
      settings: { guildSeven: { override_until: "2026-01-28T12:00:00Z" }, "": { is_paused: true } },
    })
  })
})

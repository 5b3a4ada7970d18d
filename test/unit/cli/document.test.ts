// What the library gives, in the names of the wire.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { documentOf } from "../../../src/cli/document.ts"

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

  it("leaves alone what has a document of its own, and keys that are data", () => {
    assert.deepEqual(documentOf({ aTask: { toJSON: () => ({ myInput: { camelCase: 1 } }) } }), { a_task: { myInput: { camelCase: 1 } } })
    assert.deepEqual(documentOf({ settings: { guildSeven: { overrideUntil: at }, "": { isPaused: true } } }), {
      settings: { guildSeven: { override_until: "2026-01-28T12:00:00Z" }, "": { is_paused: true } },
    })
  })
})

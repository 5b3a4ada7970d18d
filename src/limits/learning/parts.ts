// Every part that a gate may have learned, empty: what a stored one has to look like.

import { noCost } from "./cost.ts"
import { noFound } from "./found-window.ts"
import { noLatency } from "./latency.ts"
import type { Learned } from "./learned.ts"
import { noLinear } from "./linear.ts"
import { noMargin } from "./margin.ts"
import { noQuota } from "./quota.ts"
import { noScout } from "./scout-state.ts"
import { noSlots } from "./slots.ts"

type Parts = Required<Omit<Learned, "version" | "changedAtUs" | "costs">>

export const emptyLearned = {
  parts: {
    scout: noScout,
    found: noFound,
    linear: noLinear,
    margin: noMargin,
    quota: noQuota,
    latency: noLatency,
    slots: noSlots,
  } satisfies Parts,
  cost: noCost,
} as const

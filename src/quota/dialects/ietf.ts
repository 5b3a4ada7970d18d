// The IETF draft (httpapi-ratelimit-headers 08 and on): what is allowed in RateLimit-Policy, `"p";q=100;w=60;qu="tokens";pk=:x:`,
// what is left of it in RateLimit, `"p";r=50;t=30`. A malformed field is ignored, as the draft asks.

import { type Dialect, nameIn, quotaOf, toldOf } from "../answer.ts"
import { wholeMs } from "../caps.ts"
import type { Quota } from "../quota.ts"
import { type BareItem, type Item, readList } from "../structured-field.ts"

type Named = ReadonlyMap<string, Item["parameters"]>

export const ietf: Dialect = ({ header }) => {
  const policies = named(header("ratelimit-policy"))
  const states = named(header("ratelimit"))
  // What is left counts most where there is room for a few only.
  const ids = new Set([...states.keys(), ...policies.keys()])
  return toldOf([...ids].map((id) => merged(id, policies.get(id), states.get(id))))
}

/** By the policy's name; the first of a name counts. Older drafts had a number in its place, and are read elsewhere. */
function named(text: string | null): Named {
  const items = new Map<string, Item["parameters"]>()
  for (const { value, parameters } of readList(text) ?? []) {
    const id = nameIn(value)
    if (id !== null && !items.has(id)) items.set(id, parameters)
  }
  return items
}

function merged(id: string, policy: Item["parameters"] | undefined, state: Item["parameters"] | undefined): Quota | null {
  const unit = nameIn(policy?.get("qu"))
  return quotaOf({
    // What is counted says more than what the policy is called: it decides what a task costs.
    name: unit === null || unit === "requests" || unit === "request" ? id : unit,
    limit: wholeIn(policy?.get("q")),
    remaining: wholeIn(state?.get("r")),
    resetMs: secondsIn(state?.get("t")),
    windowMs: secondsIn(policy?.get("w")),
    bucket: nameIn(policy?.get("pk") ?? state?.get("pk")),
  })
}

function wholeIn(value: BareItem | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null
}

function secondsIn(value: BareItem | undefined): number | null {
  const seconds = wholeIn(value)
  return seconds === null ? null : wholeMs(seconds * 1_000)
}

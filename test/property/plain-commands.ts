// Commands for a queue whose one limit lets everything pass: gates split lanes, and hold nobody.

import fc from "fast-check"
import { aDay, exchange, mostly, others, route, submit } from "./commands.ts"

export const wideOpen = {
  types: [
    { type: "mail", limits: ["vendor"] },
    { type: "resize", limits: [] },
  ],
  limits: [{ name: "vendor", policy: { rates: [], concurrency: null } }],
}

const passed = (key: string) => [{ limit: "vendor", key, cost: 1 }]
const gates = mostly<ReturnType<typeof passed> | null>([], passed("a"), passed("b"), null)
const unknown = [{ limit: "nobody", key: "", cost: 1 }]

const command = fc.oneof(
  { weight: 5, arbitrary: submit(gates) },
  // The one limit would cool down; one that the task does not pass leaves it waiting by itself.
  { weight: 14, arbitrary: exchange(fc.constant("other"), fc.constantFrom([], [{ limit: "vendor", actual: 3 }])) },
  { weight: 2, arbitrary: route(fc.constantFrom([], passed("a"), passed("b"), unknown, null)) },
  ...others,
  aDay,
)

/** Something to begin with, then anything. */
export const plainCommands = fc
  .tuple(submit(gates), fc.array(command, { maxLength: 50, size: "max" }))
  .map(([first, rest]) => [first, ...rest])

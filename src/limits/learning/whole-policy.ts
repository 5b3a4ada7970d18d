// What an older version has declared lacks the numbers of a way to learn that are new since: they are the defaults.

import type { GatePolicy, ScoutPolicy } from "../policy.ts"
import { scoutDefaults } from "./scout.ts"

/** The same policy where nothing is missing. */
export function wholePolicy(policy: GatePolicy): GatePolicy {
  const { adaptive } = policy
  if (adaptive?.preset !== "scout" || isWhole(adaptive)) return policy
  return { ...policy, adaptive: { ...adaptive, windowUs: scoutDefaults.windowUs } }
}

/** By name, and not by what the defaults have: one that may be null is the same as a missing one where steps run in Lua. */
function isWhole({ windowUs }: Partial<ScoutPolicy>): boolean {
  return windowUs !== undefined
}

export { type AdmissionOfAll, admitAll, type GateToAsk, type GateToPass, reserveAll } from "./all.ts"
export { type Cooldown, cooldown, endCooldown, type Refusal, relax } from "./cooldown.ts"
export {
  type Admission,
  type Ahead,
  admit,
  emptyGate,
  forecast,
  type GateState,
  gateOpensAtUs,
  type Holder,
  hasSlotsAlone,
  heldSlots,
  isSpent,
  levels,
  neverUs,
  type Passage,
  releaseHolder,
  renewHolder,
  type Settlement,
  settleGate,
  slotsOf,
} from "./gate.ts"
export { type CostState, learnCost, learnedCost } from "./learning/cost.ts"
export type { Heard, HeardQuota } from "./learning/heard.ts"
export { isContent, learn } from "./learning/learn.ts"
export { forgetLearned, type Learned, type Taught, withTaught } from "./learning/learned.ts"
export { linearDefaults, setLinear } from "./learning/linear.ts"
export { emptyLearned, wholeLearned, wholeState } from "./learning/parts.ts"
export { scoutDefaults } from "./learning/scout.ts"
export { type SeedFields, seedFields } from "./learning/seed-fields.ts"
export { setScout } from "./learning/set-scout.ts"
export { wholePolicy } from "./learning/whole-policy.ts"
export type { Pace } from "./pace.ts"
export {
  type AdaptivePolicy,
  coarse,
  type GatePolicy,
  isMetered,
  type LinearPolicy,
  largestCost,
  type PassingPolicy,
  type Provider,
  type RatePolicy,
  type ScoutPolicy,
  slotsFor,
  strictest,
} from "./policy.ts"
export {
  evenShare,
  freePiece,
  type Interval,
  isNoShare,
  longestMemoryUs,
  merged,
  noShare,
  partOf,
  sharePolicy,
  wholeShare,
} from "./shares.ts"
export { type ToldWindow, usedOfTold } from "./told-window.ts"
export type { WindowState } from "./window.ts"

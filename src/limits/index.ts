export { type AdmissionOfAll, admitAll, type GateToPass } from "./all.ts"
export {
  type Admission,
  admit,
  cooldown,
  emptyGate,
  forecast,
  type GateState,
  type Holder,
  type Passage,
  type Refusal,
  relax,
  renewHolder,
  type Settlement,
  settleGate,
} from "./gate.ts"
export { type GatePolicy, largestCost, type Provider, type RatePolicy } from "./policy.ts"

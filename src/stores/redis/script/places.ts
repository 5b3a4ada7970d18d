// Where lanes and flows stand, as members of sorted sets that all have the score 0: digits that sort as compareHeads and compareFlows
// do, and behind them who stands there.

import type { FlowPlace, Head } from "../../../store/claim.ts"
import { texts, tonumber } from "./builtins.ts"

const highestPriority = 32_767

export function laneMember({ priority, readyAtMs, seq }: Head, lane: number): string {
  return texts.format("%05d%016.0f%016.0f%d", highestPriority - priority, readyAtMs, seq, lane)
}

/** Which one stands there. */
export function laneAt(member: string): number {
  return tonumber(texts.sub(member, 38))
}

/** By the member of its best lane: priority, then virtual time, then the rest of it. */
export function flowMember(bestLane: string, virtualTime: number, flow: string): string {
  return texts.format("%s%016.0f%s", texts.sub(bestLane, 1, 5), virtualTime, texts.sub(bestLane, 6, 37)) + flow
}

export function flowAt(member: string): FlowPlace & { readonly flow: string } {
  return {
    flow: texts.sub(member, 54),
    priority: highestPriority - tonumber(texts.sub(member, 1, 5)),
    virtualTime: tonumber(texts.sub(member, 6, 21)),
    readyAtMs: tonumber(texts.sub(member, 22, 37)),
    seq: tonumber(texts.sub(member, 38, 53)),
  }
}

/** A type and a flow in one name. */
export function flowName(type: string, flow: string): string {
  return `${texts.len(type)}:${type}${flow}`
}

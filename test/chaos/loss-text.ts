// What the measurement of losses says, in a line that can be compared with others, and what it does not say.

import type { LossResult } from "./losses.ts"
import type { Keeping } from "./stores/index.ts"

const whole = (value: number) => Math.round(value).toLocaleString("en-US")
const share = (lost: number, of: number) => `${((100 * lost) / Math.max(1, of)).toFixed(3)} %`

export function lossText(keeping: Keeping & { readonly store: string; readonly seed: number }, result: LossResult): string {
  const { kills, submits, settles, killsWithLoss, mostByOneKill, oldestMs, vanished, durationMs } = result
  const how = keeping.appendonly ? `appendfsync ${keeping.appendfsync}` : "appendonly no"
  const lost = (counted: LossResult["submits"]) =>
    `${whole(counted.lost)} of ${whole(counted.acknowledged)} (${share(counted.lost, counted.acknowledged)})`
  const gone = vanished === 0 ? "" : `; ${whole(vanished)} times nothing was left, and the store said so`
  const oldest = vanished === 0 ? `, the oldest acknowledged ${whole(oldestMs)} ms before it` : ""
  const worst = killsWithLoss === 0 ? "" : `, at most ${whole(mostByOneKill)} by one${oldest}`
  return [
    `seed ${keeping.seed}, ${(durationMs / 1_000).toFixed(1)} s`,
    "A kill ends the server's process: what it had written is kept by the system. What a machine loses that goes down is not seen here.",
    `losses ${keeping.store}, ${how}: ${whole(kills)} kills of the server: submissions acknowledged and lost ${lost(submits)}, settles acknowledged and undone ${lost(settles)}, by ${whole(killsWithLoss)} kills${worst}${gone}`,
  ].join("\n")
}

// The answer to an exchange that went the short way: its JSON, put together from texts, and the rows of its tasks.

import { texts } from "../builtins.ts"
import { fromSortable } from "../lua.ts"
import { redis } from "../server.ts"
import type { Claim } from "./claim.ts"
import type { Exchange } from "./exchange.ts"

const completed = '{"kind":"ok","status":"completed"}'

export function toldOf({ plan, settles, claim }: Exchange): string[] {
  const starts = claim?.taken?.starts
  const answer = starts?.told ?? ["ok", ""]
  for (const place of starts?.apart ?? [])
    answer[3 * place + 4] = redis.call("HGET", `${plan.base}inputs`, answer[3 * place + 2] as string) as string
  const parts = [
    `{"cancelled":[],"kept":[],"unrouted":[],"nowMs":${texts.format("%.0f", plan.nowMs)}`,
    `"settled":[${settles > 0 ? completed + texts.rep(`,${completed}`, settles - 1) : ""}]`,
    `"claimed":[${numbersTo(starts?.count ?? 0)}]`,
    `"more":${claim?.more === true}`,
    `"touched":${claim ? touched(claim, plan.changedGates.length) : 0}`,
  ]
  if (!plan.isQuiet) {
    const [, schedule] = redis.call("ZRANGE", `${plan.base}schedules-next`, 0, 0, "WITHSCORES") as string[]
    if (schedule !== undefined) parts.push(`"scheduleAtMs":${schedule}`)
  }
  if (claim && !claim.more && claim.nextAtMs >= 0) {
    parts.push(`"nextAtMs":${texts.format("%.0f", claim.nextAtMs)}`)
    const name = claim.nextGate === "" ? false : redis.call("HGET", `${plan.base}gate-names`, fromSortable(claim.nextGate) ?? 0)
    if (typeof name === "string") parts.push(`"blockedBy":${JSON.stringify(name)}`)
  }
  answer[1] = `${parts.join(",")}}`
  return answer
}

function touched({ touched: records }: Claim, gates: number): string {
  return texts.format("%.0f", records + gates)
}

/** The numbers of so many rows. There are at most as many as a claim may take: each is made once. */
const numbers: Record<number, string | undefined> = {}

function numbersTo(count: number): string {
  const known = numbers[count]
  if (known !== undefined) return known
  let text = ""
  for (let i = 0; i < count; i++) text += i === 0 ? "0" : `,${i}`
  numbers[count] = text
  return text
}

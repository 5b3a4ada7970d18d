// Hello: what a process that has the code knows of types and limits. Said again and again, so that it is known who lives.

import type { HelloAnswer, HelloRequest } from "./limits-contract.ts"
import { basePolicy, declare, isSamePolicy, liveDeclarations } from "./policies.ts"
import type { Records } from "./records.ts"

export function hello(records: Records, request: HelloRequest): HelloAnswer {
  const { nowMs } = records
  const disagreements: string[] = []
  for (const { name, policy } of request.limits) {
    const before = records.limits.limit(name)
    const after = declare(before, name, policy, nowMs)
    records.limits.saveLimit(after)
    if (liveDeclarations(after, nowMs).length > 1) disagreements.push(name)
    const [was, is] = [before && basePolicy(before, nowMs), basePolicy(after, nowMs)]
    if (is && (was === null || !isSamePolicy(was, is))) {
      records.limits.logChange({
        atMs: nowMs,
        limit: name,
        key: "",
        change: { kind: "base", policy: is },
        by: request.workerId ?? "a process",
      })
      if (was !== null) records.limits.hurry(name)
    }
  }
  records.gates.forget()
  for (const { type, limits } of request.types) {
    const known = records.limits.limitsOfType(type)
    if (!known || known.join() !== limits.join()) records.limits.saveType(type, limits)
  }
  if (request.workerId !== null) {
    records.seeWorker(
      request.workerId,
      request.types.map(({ type }) => type),
    )
  }
  return { nowMs, disagreements }
}

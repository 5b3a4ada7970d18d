// What the queue gives, as the API sends it: the documents of --json, with policies in words beside them.

import { documentOf } from "../queue/document.ts"
import { type GateView, type LimitView, policyText, type Queue, type Task } from "../queue/index.ts"

export function gateDocument(gate: GateView): Record<string, unknown> {
  return { ...(documentOf(gate) as object), policy_text: policyText(gate.policy) }
}

export async function limitDocument(queue: Queue, limit: LimitView): Promise<Record<string, unknown>> {
  const { gates } = await queue.limits.gates(limit.name, { key: "" })
  return {
    ...(documentOf(limit) as object),
    base_text: limit.base && policyText(limit.base),
    gate: gates[0] ? gateDocument(gates[0]) : null,
  }
}

/** With the forecasts of those that wait. */
export async function withForecasts(queue: Queue, tasks: readonly Task[]): Promise<unknown[]> {
  const pending = tasks.filter(({ status }) => status === "pending").map(({ id }) => id)
  if (pending.length === 0) return tasks.map((task) => task.toJSON())
  const fresh = new Map((await queue.getMany(pending)).flatMap((task) => (task ? [[task.id, task] as const] : [])))
  return tasks.map((task) => (fresh.get(task.id) ?? task).toJSON())
}

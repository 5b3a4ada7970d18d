// What the script works with: limits of every kind, and tasks that pass through them. Ids are UUIDs, as a store may rely on, and a
// task's name can be read from its id, so that a failure names the task.

import type { GatePolicy } from "../../src/limits/index.ts"
import type { GateRef, NewTask } from "../../src/task/index.ts"
import { rate, rates, slots } from "../../src/testing/conformance/policies.ts"

export const limits: Readonly<Record<string, GatePolicy>> = {
  api: slots(3, rate(8, 10_000)),
  vendor: rates(rate(4, 5_000, { provider: "unknown", slackUs: 500_000 })),
  quota: rates(rate(10, 60_000, { provider: "bucket", burst: 5 })),
  press: slots(2),
  phone: slots(2),
  spare: rates(rate(9, 60_000, { provider: "fixed" })),
}

/** The limits of each type. `late` is a type that the first hello does not know yet. */
export const types: Readonly<Record<string, readonly string[]>> = {
  mail: [],
  call: ["api"],
  sync: ["vendor", "quota"],
  page: ["press"],
  late: ["api"],
  team: [],
  next: [],
  idle: [],
  cron: [],
  old: [],
}

const prefix = "019c0000-0000-7000-8000-"

export const idOf = (name: string): string => prefix + Buffer.from(name.padEnd(6)).toString("hex")
export const nameOf = (id: string): string => Buffer.from(id.slice(prefix.length), "hex").toString().trim()

export const api: readonly GateRef[] = [{ limit: "api", key: "", cost: 1 }]
export const vendor = (key: string): readonly GateRef[] => [
  { limit: "vendor", key, cost: 1 },
  { limit: "quota", key: "", cost: 2 },
]
export const press = (cost: number): readonly GateRef[] => [{ limit: "press", key: "", cost }]

/** A task is named after its type: `mail-1` is a `mail`. */
export function newTask(name: string, fields: Partial<NewTask> = {}): NewTask {
  const type = name.split("-")[0] ?? name
  return {
    id: idOf(name),
    type,
    input: `{"name":"${name}"}`,
    priority: 0,
    tags: [],
    jobId: null,
    flow: type,
    gates: [],
    schedule: null,
    expiry: null,
    maxRetries: 5,
    maxReschedules: null,
    maxThrottles: null,
    timeoutMs: 60_000,
    idempotencyKey: null,
    inputDigest: null,
    ...fields,
  }
}

export const hello = (workerId: string | null, names: readonly string[] = Object.keys(types)) => ({
  workerId,
  types: names.map((type) => ({ type, limits: types[type] ?? [] })),
  limits: Object.entries(limits).map(([name, policy]) => ({ name, policy })),
})

// Histories written by hand: a task that goes well, step by step, to be bent by each test.

import type { Fact } from "../../../src/testing/index.ts"
import { checkHistory, type HistoryEvent, historyLog } from "../../../src/testing/index.ts"

export const gates = [{ limit: "api", key: "", cost: 1 }]
export const noGates: readonly never[] = []

export const submitted = (id: string, key: string | null = null, stored = id): Fact => {
  return { op: "submit", phase: "ok", atMs: 0, tasks: [{ id, key, stored }] }
}

export const claimed = (task: string, fence: number, atMs: number, fields: Partial<Extract<Fact, { op: "claim" }>> = {}): Fact => {
  return { op: "claim", task, fence, worker: "w1", atMs, untilMs: atMs + 1_000, gates: noGates, ...fields }
}

export const settled = (task: string, fence: number, atMs: number, fields: Partial<Extract<Fact, { op: "settle" }>> = {}): Fact => {
  return { op: "settle", phase: "ok", task, fence, atMs, outcome: "completed", status: "completed", spent: {}, ...fields }
}

export const killed = (victim: string, atMs: number): Fact => ({ op: "fault", fault: "kill", victim, atMs, untilMs: null })

export const run = (task: string, fence: number, phase: "start" | "end", atMs: number): Fact => ({ op: "run", phase, task, fence, atMs })

export const policy = (fields: Partial<Extract<Fact, { op: "policy" }>>): Fact => {
  return { op: "policy", limit: "api", atMs: 0, rates: [], slots: null, closedUntilMs: 0, ...fields }
}

export const sliding = (limit: number, perMs: number) => ({ limit, perMs, provider: "sliding" as const, burst: limit, phaseMs: 0 })

type Seen = Extract<Fact, { op: "look" }>["tasks"][number]

export const seen = (id: string, status: string, fence: number, fields: Partial<Seen> = {}): Seen => {
  return { id, status, fence, key: null, gates: noGates, place: null, claims: null, ...fields }
}

/** The store at rest, with counts that agree with its tasks. */
export const rest = (tasks: readonly Seen[], fields: Partial<Extract<Fact, { op: "look" }>> = {}): Fact => {
  const counts: Record<string, number> = {}
  for (const { status } of tasks) counts[status] = (counts[status] ?? 0) + 1
  return { op: "look", atMs: 100_000, isRest: true, tasks, counts, gates: [], ...fields }
}

/** What the checker finds: kinds, each once. */
export function kindsIn(facts: readonly Fact[], options = {}): string[] {
  return [...new Set(checkHistory(eventsOf(facts), options).violations.map(({ kind }) => kind))]
}

export function eventsOf(facts: readonly Fact[]): HistoryEvent[] {
  const events: HistoryEvent[] = []
  const write = historyLog(
    "test",
    () => 0,
    (event) => events.push(event),
  )
  for (const fact of facts) write(fact)
  return events
}

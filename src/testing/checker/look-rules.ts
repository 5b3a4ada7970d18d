// C1, C6 and C9 where the store says what it holds: everything it has acknowledged is there, and what it counts and keeps in order is
// what its records add up to.

import type { Looked, SeenTask } from "./events.ts"
import type { Violation } from "./report.ts"

export function judgeLook({ isRest, tasks, counts, gates }: Looked): Violation[] {
  const found: Violation[] = []
  const say = (kind: Violation["kind"], about: string, message: string) => found.push({ kind, about, message })
  for (const status of new Set([...Object.keys(counts), ...tasks.map((task) => task.status)])) {
    const there = tasks.filter((task) => task.status === status).length
    if (there !== (counts[status] ?? 0)) say("index_drift", status, `the store counts ${counts[status] ?? 0} ${status}, and has ${there}`)
  }
  for (const [lane, aheads] of lanesOf(tasks)) {
    const places = aheads.sort((a, b) => a - b)
    if (places.some((ahead, i) => ahead !== i)) say("index_drift", lane, `lane ${lane}: tasks are told that ${places} stand before them`)
  }
  for (const { limit, key, held, waitingTasks, waitingCost } of gates) {
    const name = `${limit}/${key}`
    const waiting = tasks.flatMap(({ place, gates: passed }) => {
      const gate = place && passed?.find((one) => one.limit === limit && one.key === key)
      return gate ? [gate.cost] : []
    })
    const cost = waiting.reduce((sum, one) => sum + one, 0)
    if (waiting.length !== waitingTasks || cost !== waitingCost) {
      say(
        "index_drift",
        name,
        `gate ${name} counts ${waitingTasks} that wait, costing ${waitingCost}; there are ${waiting.length}, costing ${cost}`,
      )
    }
    if (isRest && (held ?? 0) > 0) say("slot_leak", name, `gate ${name}: ${held} slots are held, and nothing runs`)
  }
  return found
}

function lanesOf(tasks: readonly SeenTask[]): Map<string, number[]> {
  const lanes = new Map<string, number[]>()
  for (const { place } of tasks) if (place) lanes.set(place.lane, [...(lanes.get(place.lane) ?? []), place.ahead])
  return lanes
}

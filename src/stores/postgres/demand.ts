// What stands in lanes that pass a gate: counted during a step, written at its end. Of gates that were asked for, all of it is known.

import type { Demand } from "../../store/limit-records.ts"
import type { Sql } from "./sql.ts"

interface Waiting {
  readonly gate: number
  readonly type: string
  readonly flow: string
  readonly priority: number
  tasks: number
  cost: number
}

export class DemandTable {
  private readonly sql: Sql
  private readonly more = new Map<string, Waiting>()
  private readonly known = new Map<number, Map<string, Waiting>>()

  constructor(sql: Sql) {
    this.sql = sql
  }

  add(more: Waiting): void {
    const key = keyOf(more)
    count(this.more, key, more)
    const known = this.known.get(more.gate)
    if (known) count(known, key, more)
  }

  /** All that waits at those of the gates that are not known yet, in one query. */
  async readAhead(gates: Iterable<number>): Promise<void> {
    const asked = [...new Set(gates)].filter((gate) => !this.known.has(gate))
    if (asked.length === 0) return
    const isAsked = new Set(asked)
    const rows = (await this.sql.rows("readDemand", asked)) as readonly [number, string, string, number, number, number][]
    for (const gate of asked) this.known.set(gate, new Map())
    for (const [gate, type, flow, priority, tasks, cost] of rows) this.learn({ gate, type, flow, priority, tasks, cost })
    for (const more of this.more.values()) if (isAsked.has(more.gate)) this.learn(more)
  }

  of(gate: number, priority: number, of: { readonly type: string; readonly flow: string } | null): Demand | Promise<Demand> {
    if (!this.known.has(gate)) return this.readAhead([gate]).then(() => this.of(gate, priority, of))
    let [tasks, cost] = [0, 0]
    const found: Waiting[] = []
    for (const waiting of this.known.get(gate)?.values() ?? []) {
      if (waiting.priority < priority) continue
      if (of && (waiting.type !== of.type || waiting.flow !== of.flow)) continue
      tasks += waiting.tasks
      cost += waiting.cost
      found.push(waiting)
    }
    return { tasks, cost, flows: found.length <= 1 ? found.length : new Set(found.map(flowOf)).size }
  }

  async flush(): Promise<void> {
    const more = [...this.more.values()].filter(({ tasks, cost }) => tasks !== 0 || cost !== 0)
    this.more.clear()
    this.write(
      "lessenDemand",
      more.filter(({ tasks }) => tasks <= 0),
    )
    this.write(
      "addDemand",
      more.filter(({ tasks }) => tasks > 0),
    )
  }

  private write(statement: string, more: readonly Waiting[]): void {
    if (more.length === 0) return
    this.sql.tell(
      statement,
      more.map(({ gate }) => gate),
      more.map(({ type }) => type),
      more.map(({ flow }) => flow),
      more.map(({ priority }) => priority),
      more.map(({ tasks }) => tasks),
      more.map(({ cost }) => cost),
    )
  }

  private learn(more: Waiting): void {
    const known = this.known.get(more.gate)
    if (known) count(known, keyOf(more), more)
  }
}

/** No text in Postgres has the character between them. */
function flowOf({ type, flow }: Waiting): string {
  return `${type}\0${flow}`
}

function keyOf(waiting: Waiting): string {
  return `${waiting.gate} ${waiting.priority} ${flowOf(waiting)}`
}

/** Where nobody waits any more nothing is known. */
function count(counted: Map<string, Waiting>, key: string, more: Waiting): void {
  const known = counted.get(key)
  if (!known) counted.set(key, { ...more })
  else {
    known.tasks += more.tasks
    known.cost += more.cost
    if (known.tasks === 0 && known.cost === 0) counted.delete(key)
  }
}

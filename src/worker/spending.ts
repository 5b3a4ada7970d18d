// What a run says that it has really cost, by limit.

import { SluiceError, shown } from "../errors/index.ts"
import type { AnyLimit, SpentOptions } from "../queue/index.ts"
import type { SettleRequest } from "../store/index.ts"
import type { GateRef, TaskRecord } from "../task/index.ts"
import { anything, readOptions } from "../units/index.ts"

export class Spending {
  private readonly type: string
  private readonly gates: readonly GateRef[]
  private readonly byLimit = new Map<string, number>()

  constructor({ type, gates }: Pick<TaskRecord, "type" | "gates">) {
    this.type = type
    this.gates = gates ?? []
  }

  /** Checks what it is given, and answers with it as plain values: a thread sends them on. */
  note(actual: number, options?: SpentOptions): { readonly actual: number; readonly limit: string } {
    const where = `task ${this.type}: ctx.spent`
    const { limit } = readOptions(where, options, { limit: anything<AnyLimit | string>() })
    if (typeof actual !== "number" || !Number.isSafeInteger(actual) || actual < 0)
      throw new SluiceError("invalid_cost", `${where}: expected a whole number, 0 or more, got ${shown(actual)}`)
    const name = limit === undefined ? this.onlyLimit(where) : this.passed(where, nameOf(limit))
    this.byLimit.set(name, actual)
    return { actual, limit: name }
  }

  all(): SettleRequest["spent"] {
    return [...this.byLimit].map(([limit, actual]) => ({ limit, actual }))
  }

  private onlyLimit(where: string): string {
    const costly = this.gates.filter(({ cost }) => cost > 1)
    const [gate, another] = this.gates.length === 1 ? this.gates : costly
    if (gate && !another) return gate.limit
    const got = this.gates.length === 0 ? "a task that passes none" : `a task that passes ${this.names()}`
    throw new SluiceError("invalid_option", `${where}: expected a limit beside the number, such as { limit: "vendor-api" }, got ${got}`)
  }

  private passed(where: string, name: string): string {
    if (this.gates.some(({ limit }) => limit === name)) return name
    throw new SluiceError(
      "unknown_limit",
      `${where}: expected a limit that the task passes (${this.names() || "none"}), got ${shown(name)}`,
    )
  }

  private names(): string {
    return [...new Set(this.gates.map(({ limit }) => limit))].join(", ")
  }
}

/** Of a limit or a name; what is neither is left to whoever looks for the name. */
export function nameOf(limit: AnyLimit | string): string {
  return typeof limit === "function" ? limit.name : limit
}

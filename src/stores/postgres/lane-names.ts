// Which lane a task belongs to: found by what its tasks have in common, made where there is none. Plain lanes stay, and a process remembers
// those that it has met.

import { type Head, ready } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import type { Sql } from "./sql.ts"

export interface KnownLane {
  readonly lane: number
  readonly isPlain: boolean
  /** As it was when the step first met the lane. */
  readonly head: Head | null
  /** Where it stood then. */
  readonly gate: number
}

export interface LaneName {
  readonly key: string
  readonly type: string
  readonly flow: string
  readonly gates: string
  readonly isPlain: boolean
}

export interface LaneNamesParts {
  readonly ns: number
  readonly sql: Sql
  /** The plain lanes of types, as far as this process has met them. */
  readonly plainLanes: Map<string, number>
  readonly takeNumbers: (count: number) => Promise<number>
}

export class LaneNames {
  private readonly parts: LaneNamesParts
  private readonly known = new Map<string, KnownLane>()
  private readonly plain = new Set<number>()
  /** Plain lanes that this step has made: they may be undone with it. */
  private readonly made = new Set<number>()

  constructor(parts: LaneNamesParts) {
    this.parts = parts
  }

  of({ key }: LaneName): KnownLane {
    return this.known.get(key) as KnownLane
  }

  isPlain(lane: number): boolean {
    return this.plain.has(lane)
  }

  /** As a row says. */
  isKnownPlain(lane: number): void {
    this.plain.add(lane)
  }

  /** Heads have changed: whatever was known of them has to be read again. */
  forget(): void {
    this.known.clear()
  }

  /** All of them, with one look. `virtualTime` is where flows begin that are new. */
  async find(names: readonly LaneName[], virtualTime: number): Promise<void> {
    const { sql, ns, plainLanes } = this.parts
    for (const name of names) {
      const lane = name.isPlain ? plainLanes.get(name.type) : undefined
      if (lane !== undefined) this.know(name, lane, null, ready)
    }
    const wanted = [...new Map(names.filter(({ key }) => !this.known.has(key)).map((name) => [name.key, name])).values()]
    if (wanted.length === 0) return
    const missing = await this.lookFor(wanted)
    for (const { isPlain, type, key } of wanted) {
      const found = this.known.get(key)
      if (isPlain && found && !this.made.has(found.lane)) plainLanes.set(type, found.lane)
    }
    const idle = wanted.filter(({ key, isPlain }) => !isPlain && !this.known.get(key)?.head)
    if (idle.length > 0) sql.tell("addFlows", ns, column(idle, "type"), column(idle, "flow"), virtualTime)
    if (missing.length > 0) await this.make(missing)
  }

  /** Answers with those that are not there. */
  private async lookFor(wanted: readonly LaneName[]): Promise<LaneName[]> {
    const { sql, ns } = this.parts
    const missing = new Set(wanted)
    const rows = (await sql.rows("findLanes", ns, ...texts(wanted))) as readonly (readonly number[])[]
    for (const [place, lane, priority, readyAtMs, seq, gate] of rows) {
      const name = wanted[(place as number) - 1] as LaneName
      missing.delete(name)
      this.know(name, lane as number, seq === null ? null : ({ priority, readyAtMs, seq } as Head), gate as number)
    }
    return [...missing]
  }

  private async make(names: readonly LaneName[]): Promise<void> {
    const { sql, ns, takeNumbers } = this.parts
    const first = await takeNumbers(names.length)
    const lanes = names.map((_, i) => first + i)
    const values = [ns, lanes, ...texts(names), column(names, "isPlain")] as const
    for (const [i, name] of names.entries()) this.know(name, lanes[i] as number, null, ready)
    for (const lane of lanes) this.made.add(lane)
    if (!names.some(({ isPlain }) => isPlain)) sql.tell("addLanes", ...values)
    // Somebody without the lock has made one of them meanwhile.
    else if ((await sql.run("addLanes", ...values)) < names.length) await this.lookFor(names)
  }

  private know(name: LaneName, lane: number, head: Head | null, gate: number): void {
    this.known.set(name.key, { lane, isPlain: name.isPlain, head, gate })
    if (name.isPlain) this.plain.add(lane)
  }
}

function column<K extends keyof LaneName>(list: readonly LaneName[], name: K): LaneName[K][] {
  return list.map((one) => one[name])
}

function texts(list: readonly LaneName[]): readonly [string[], string[], string[]] {
  return [column(list, "type"), column(list, "flow"), column(list, "gates")]
}

export function plainName(type: string): LaneName {
  return { key: JSON.stringify([type, type, "[]"]), type, flow: type, gates: "[]", isPlain: true }
}

/** What a task costs at a gate is its own affair: tasks that pass the same gates share a lane. */
export function nameOf({ type, flow, gates }: TaskRecord): LaneName {
  const text = JSON.stringify((gates ?? []).map(({ limit, key }) => [limit, key]))
  return { key: JSON.stringify([type, flow, text]), type, flow, gates: text, isPlain: flow === type && text === "[]" }
}

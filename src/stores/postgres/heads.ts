// Who is first at gates, as readWaitingHeads answers: a row a task, with the lane and the flow that it stands in.

import type { FlowRow, LaneRow } from "../../store/claim.ts"
import type { TaskRecord } from "../../task/index.ts"
import { taskColumns } from "./rows.ts"
import type { Row } from "./sql.ts"

/** Where those of one type stand: at a gate, or 0 where they are ready. */
export interface Place {
  readonly type: string
  readonly gate: number
}

export interface HeadLane {
  readonly row: LaneRow
  readonly tasks: readonly TaskRecord[]
}

interface KnownLane extends HeadLane {
  readonly tasks: TaskRecord[]
}

export function placeKey(type: string, gate: number): string {
  return `${gate} ${type}`
}

export function toFlow([flow, priority, virtualTime, readyAtMs, seq, flowTime]: Row): FlowRow {
  return { flow, priority, virtualTime, readyAtMs, seq, flowTime } as FlowRow
}

export class Heads {
  readonly tasks: TaskRecord[] = []
  private readonly flows = new Map<string, Map<string, FlowRow>>()
  private readonly lanes = new Map<string, Map<number, KnownLane>>()

  constructor(rows: readonly Row[], toRecord: (row: Row) => TaskRecord) {
    for (const row of rows) {
      const [type, gate, ...rest] = row.slice(taskColumns)
      const flow = toFlow(rest)
      const key = placeKey(type as string, gate as number)
      inside(this.flows, key).set(flow.flow, flow)
      const [lane, priority, readyAtMs, seq] = rest.slice(6)
      if (lane === null) continue
      const lanes = inside(this.lanes, key)
      const known = lanes.get(lane as number) ?? { row: { lane, priority, readyAtMs, seq } as LaneRow, tasks: [] }
      lanes.set(lane as number, known)
      if (row[0] === null) continue
      known.tasks.push(toRecord(row))
      this.tasks.push(known.tasks.at(-1) as TaskRecord)
    }
  }

  flowsAt(key: string): readonly FlowRow[] {
    return [...(this.flows.get(key)?.values() ?? [])]
  }

  /** Those of the first flow. */
  lanesAt(key: string): readonly HeadLane[] {
    return [...(this.lanes.get(key)?.values() ?? [])]
  }
}

function inside<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const known = maps.get(key) ?? new Map<K, V>()
  maps.set(key, known)
  return known
}

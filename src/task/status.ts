// The status machine of a task, as one table: which status may follow which, and by what event.
//
//   pending ──claim──▶ running ──▶ completed | failed | cancelled | expired
//      ▲                  │
//      └── retried, rescheduled, throttled, released, lost ◀──┘
//   pending ──▶ cancelled | expired        failed | cancelled ──retry──▶ pending
//   completed | failed | cancelled | expired ──▶ archived

import { SluiceError } from "../errors/index.ts"

export const statuses = ["pending", "running", "completed", "failed", "cancelled", "expired", "archived"] as const
export type Status = (typeof statuses)[number]

const next: Readonly<Record<Status, readonly Status[]>> = {
  pending: ["running", "cancelled", "expired"],
  running: ["pending", "completed", "failed", "cancelled", "expired"],
  completed: ["archived"],
  failed: ["pending", "archived"],
  cancelled: ["pending", "archived"],
  expired: ["archived"],
  archived: [],
}

export function canMove(from: Status, to: Status): boolean {
  return next[from].includes(to)
}

/** Ended for good unless somebody asks for a retry: what retention counts and what `archive` takes. */
export function isFinished(status: Status): boolean {
  return status !== "pending" && status !== "running"
}

const wayOut: Readonly<Record<Status, string>> = {
  pending: "only a failed or cancelled task can be retried",
  running: "only a pending task can be claimed",
  completed: "only a running task can complete",
  failed: "only a running task can fail",
  cancelled: "only a pending or running task can be cancelled",
  expired: "only a pending task can expire",
  archived: "only a finished task can be archived",
}

export class IllegalTransitionError extends SluiceError {
  readonly from: Status
  readonly to: Status

  constructor(id: string, from: Status, to: Status) {
    super("illegal_transition", `task ${id}: cannot move from "${from}" to "${to}"; ${wayOut[to]}`)
    this.from = from
    this.to = to
  }
}

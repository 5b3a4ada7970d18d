// Bugs in how a run ends and how a lease is kept.

import type { Bug } from "./bug.ts"

const judge = `  if (task.fence !== fence) return "stale"
  // A lease that ran out but was not swept yet still settles: nobody else has the task, and running it again would help nobody.
  if (task.status === "running") return "ok"
  return task.lastOutcome === outcome ? "repeat" : "stale"`

export const settlingBugs: readonly Bug[] = [
  {
    name: "settle by id",
    like: "Oban #1496, graphile-worker: whoever knows the id may settle",
    edits: [{ file: "task/transitions.ts", find: judge, replace: `  return "ok"` }],
  },
  {
    name: "settle by status only",
    like: "River: a running job is settled, whoever runs it",
    edits: [{ file: "task/transitions.ts", find: `  if (task.fence !== fence) return "stale"\n  // A lease`, replace: "  // A lease" }],
  },
  {
    name: "rescue overwrites completion",
    like: "River #1302: the rescuer writes what it read before",
    edits: [
      {
        file: "store/stepped.ts",
        find: `    return this.change((records) => this.steps.changing.sweep(records, request))`,
        replace: `    return this.read((records) => records.lostLeases(100)).then(async (lost) => {
      await new Promise((resolve) => this.world.timer(400, () => resolve(null)))
      await this.change((records) => {
        for (const task of lost) loseAtGates(records, task)
        records.save(lost.map((task) => lose(task, records.nowMs, request.backoff, request.random)))
      })
      return this.change((records) => this.steps.changing.sweep(records, request))
    })`,
      },
      {
        file: "store/stepped.ts",
        find: `import * as steps from "./steps.ts"`,
        replace: `import { lose } from "../task/index.ts"\nimport { loseAtGates } from "./passed.ts"\nimport * as steps from "./steps.ts"`,
      },
    ],
  },
  {
    name: "reschedule with a stale version",
    like: "queues on object storage: a record is read, changed and written, and what has happened since is undone",
    edits: [
      {
        file: "store/stepped.ts",
        find: `    const answer = await this.change((records) => {
      begunAtMs = this.world.monotonicMs()
      return this.steps.changing.exchange(`,
        replace: `    const late = request.settles.filter(({ outcome }) => outcome.kind === "rescheduled")
    const found = await this.read((records) => records.load(late.map(({ id }) => id)))
    if (late.length > 0) await new Promise((resolve) => this.world.timer(1_000, () => resolve(null)))
    const answer = await this.change((records) => {
      for (const one of late) {
        const task = found.get(one.id)
        const settled = task && settle(task, one.fence, one.outcome, records.nowMs)
        if (!task || settled?.kind !== "ok") continue
        settleAtGates(records, task, one)
        records.save([settled.change])
      }
      begunAtMs = this.world.monotonicMs()
      return this.steps.changing.exchange(`,
      },
      {
        file: "store/stepped.ts",
        find: `import * as steps from "./steps.ts"`,
        replace: `import { settle } from "../task/index.ts"\nimport { settleAtGates } from "./passed.ts"\nimport * as steps from "./steps.ts"`,
      },
    ],
  },
  {
    name: "a heartbeat revives a lease that ran out",
    like: "locks that are extended by whoever had them last",
    edits: [
      {
        file: "task/transitions.ts",
        find: `task.leaseExpiresAtMs === null || nowMs >= task.leaseExpiresAtMs) return null`,
        replace: `task.leaseExpiresAtMs === null) return null`,
      },
    ],
  },
  {
    name: "a lease is not kept while its handler runs",
    like: "long runs that nobody renews",
    edits: [{ file: "worker/outbox.ts", find: `this.beating = this.runs.all()`, replace: `this.beating = this.runs.all().slice(0, 1)` }],
  },
  {
    name: "a late claim is started all the same",
    like: "every worker that does not look how old the answer is",
    edits: [
      {
        file: "worker/answers.ts",
        find: `if (!definition || isLate || drains.aborted) {`,
        replace: `if (!definition || drains.aborted) {`,
      },
    ],
  },
  {
    name: "an answer is taken for that of the latest exchange",
    like: "clients that keep what they have asked in one place, and ask again before they are answered",
    edits: [
      {
        file: "worker/loop.ts",
        find: `    const sent = this.next(this.world.monotonicMs())`,
        replace: `    Object.assign(this, { latest: this.next(this.world.monotonicMs()) })`,
      },
      {
        file: "worker/loop.ts",
        find: `exchange(sent.request), signal)`,
        replace: `exchange((this as never as { latest: Sent }).latest.request), signal)
      const sent = (this as never as { latest: Sent }).latest`,
      },
    ],
  },
  {
    name: "a lease is given again a moment before it ends",
    like: "takeovers that count from their own reading of the clock",
    edits: [
      {
        file: "stores/memory/records.ts",
        find: `this.indexes.leases.takeWhile(({ atMs }) => atMs <= this.nowMs, limit)`,
        replace: `this.indexes.leases.takeWhile(({ atMs }) => atMs <= this.nowMs + 500, limit)`,
      },
    ],
  },
]

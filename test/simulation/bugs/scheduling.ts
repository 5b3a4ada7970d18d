// Bugs in what fires schedules.

import type { Bug } from "./bug.ts"

export const schedulingBugs: readonly Bug[] = [
  {
    name: "moved on first, submitted later",
    like: "schedulers that store the next run, and start the job then",
    edits: [
      {
        file: "worker/scheduler.ts",
        find: `await this.ask(() => this.queue.store.fire({ fires }))`,
        replace: `await this.ask(async () => {
        const moved = await this.queue.store.fire({ fires: fires.map((fire) => ({ ...fire, runs: [] })) })
        for (const [i, { name, runs }] of fires.entries()) {
          if (moved.results[i]?.kind !== "ok") continue
          const { schedules } = await this.queue.store.schedules({ names: [name], afterName: null, count: 1 })
          const tasks = runs.map(({ id, atMs }) => taskAt(schedules[0] as ScheduleRecord, id, atMs))
          await this.queue.store.submit({ tasks })
        }
        return moved
      })`,
      },
      {
        file: "worker/scheduler.ts",
        find: `import { idMaker, type ScheduleRecord } from`,
        replace: `import { idMaker, type ScheduleRecord, taskAt } from`,
      },
    ],
  },
  {
    name: "instants by the worker's clock",
    like: "schedulers that believe the machine they run on",
    edits: [
      {
        file: "worker/scheduler.ts",
        find: `this.firesOf(found.schedules, found.nowMs)`,
        replace: `this.firesOf(found.schedules, this.world.wallMs())`,
      },
    ],
  },
  {
    name: "catches up on one instant only",
    like: "schedulers that go on from now, whatever has become due meanwhile",
    edits: [
      {
        file: "cron/due.ts",
        find: `: latest(timetable, fromMs, nowMs, catchUp.all, onTime)`,
        replace: `: latest(timetable, fromMs, nowMs, 1, onTime.slice(-1))`,
      },
    ],
  },
]

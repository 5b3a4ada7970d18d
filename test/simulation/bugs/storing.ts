// Bugs in what is written together, and in what time it is.

import type { Bug } from "./bug.ts"

export const storingBugs: readonly Bug[] = [
  {
    name: "worker's clock",
    like: "queues whose workers bring the time along",
    edits: [
      {
        file: "worker/loop.ts",
        find: `      leaseMs: settings.leaseMs,\n      settles:`,
        replace: `      leaseMs: settings.leaseMs,\n      nowMs: this.world.wallMs(),\n      settles:`,
      },
      {
        file: "store/stepped.ts",
        find: `      begunAtMs = this.world.monotonicMs()
      return this.steps.changing.exchange(`,
        replace: `      begunAtMs = this.world.monotonicMs()
      Object.assign(records, { nowMs: (request as never as { nowMs: number }).nowMs })
      return this.steps.changing.exchange(`,
      },
    ],
  },
  {
    name: "no high-water mark for the store's clock",
    like: "every now() that follows the machine's clock back",
    edits: [{ file: "store/clock.ts", find: `  if (wallMs >= clock.lastMs) return`, replace: `  if (wallMs >= 0) return` }],
  },
  {
    name: "two-step index",
    like: "buquet: the record is written, and the index entry is lost",
    edits: [
      {
        file: "stores/memory/indexes.ts",
        find: `  enter(task: TaskRecord): void {
    this.enterBeside(task)`,
        replace: `  enter(task: TaskRecord): void {
    if (task.version > 1 && task.status === "pending" && task.seq % 7 === 0) {
      this.tally(task)[task.status]++
      return
    }
    this.enterBeside(task)`,
      },
    ],
  },
  {
    name: "non-atomic idempotency",
    like: "unique checks that read first and write later",
    edits: [
      {
        file: "store/stepped.ts",
        find: `    return this.change((records) => this.steps.changing.submit(records, request))`,
        replace: `    return this.read((records) => knownTasks(records, request.tasks)).then(async (known) => {
      await new Promise((resolve) => this.world.timer(30, () => resolve(null)))
      return this.change((records) => submit(records, request, known))
    })`,
      },
      {
        file: "store/stepped.ts",
        find: `import * as steps from "./steps.ts"`,
        replace: `import * as steps from "./steps.ts"\nimport { knownTasks, submit } from "./submit.ts"`,
      },
      { file: "store/submit.ts", find: `function knownTasks(`, replace: `export function knownTasks(` },
      {
        file: "store/submit.ts",
        find: `function submitTasks(records: Records, request: SubmitRequest): SubmitAnswer {
  const known = knownTasks(records, request.tasks)`,
        replace: `function submitTasks(records: Records, request: SubmitRequest, known = knownTasks(records, request.tasks)): SubmitAnswer {`,
      },
      {
        file: "store/submit.ts",
        find: `export function submit(records: Records, request: SubmitRequest): SubmitAnswer {
  const { newJob, closeJob: closed } = request
  if (newJob === undefined && closed === undefined) return submitTasks(records, request)`,
        replace: `export function submit(records: Records, request: SubmitRequest, known = knownTasks(records, request.tasks)): SubmitAnswer {
  const { newJob, closeJob: closed } = request
  if (newJob === undefined && closed === undefined) return submitTasks(records, request, known)`,
      },
    ],
  },
  {
    name: "no idempotency",
    like: "submissions that are sent again, and stored again",
    edits: [
      {
        file: "store/submit.ts",
        find: `(task.idempotencyKey === null ? undefined : known.byKey.get(task.idempotencyKey))`,
        replace: `undefined`,
      },
    ],
  },
  {
    name: "acknowledged before it is stored",
    like: "stores that answer first and write when there is time",
    edits: [
      {
        file: "store/submit.ts",
        find: `  records.insert(changes)\n`,
        replace: `  records.insert(changes.filter((change) => change.task.seq % 11 > 0))\n`,
      },
    ],
  },
]

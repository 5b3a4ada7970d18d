// Stores that are wrong about jobs, each in one way that a queue with batches has been wrong in.

import type { Store } from "../../src/store/contract.ts"
import type { SettleRequest } from "../../src/store/exchange-contract.ts"
import type { BrokenStore } from "./broken-stores.ts"

const newJobAs = (store: Store, change: (job: object) => object): Partial<Store> => ({
  submit: (request) => store.submit(request.newJob ? { ...request, newJob: change(request.newJob) as never } : request),
})

export const brokenJobs: readonly BrokenStore[] = [
  { name: "forgets what follows a job", caughtBy: ["jobs"], breakIt: (store) => newJobAs(store, (job) => ({ ...job, onComplete: null })) },
  {
    name: "never fails a job",
    caughtBy: ["jobs-ended"],
    breakIt: (store) => newJobAs(store, (job) => ({ ...job, failureThreshold: null })),
  },
  {
    name: "knows no concurrency of jobs",
    caughtBy: ["jobs"],
    breakIt: (store) => newJobAs(store, (job) => ({ ...job, concurrency: null })),
  },
  { name: "completes jobs that are open", caughtBy: ["jobs"], breakIt: (store) => newJobAs(store, (job) => ({ ...job, isOpen: false })) },
  {
    name: "counts every status as a failure of the job",
    caughtBy: ["jobs-ended"],
    breakIt: (store) => newJobAs(store, (job) => ({ ...job, exemptStatuses: [] })),
  },
  {
    name: "counts failures before what was settled with them",
    caughtBy: ["jobs-ended"],
    breakIt: (store) => ({
      exchange: async (request) => {
        const isCompleted = ({ outcome }: SettleRequest) => outcome.kind === "completed"
        const order = [...request.settles.keys()].sort(
          (a, b) => Number(isCompleted(request.settles[b] as SettleRequest)) - Number(isCompleted(request.settles[a] as SettleRequest)),
        )
        const answer = await store.exchange({ ...request, settles: order.map((i) => request.settles[i] as SettleRequest) })
        return { ...answer, settled: request.settles.map((_, i) => answer.settled[order.indexOf(i)] as (typeof answer.settled)[number]) }
      },
    }),
  },
  {
    name: "leaves what waits of a cancelled job to itself",
    caughtBy: ["jobs-ended"],
    breakIt: (store) => ({
      changeJob: async (request) => {
        if (request.change.kind !== "cancel") return store.changeJob(request)
        const { jobs } = await store.jobs({ ids: [request.id], name: null, statuses: null, beforeSeq: null, limit: 1 })
        const [report] = jobs
        if (!report) return { kind: "missing" }
        const job = { ...report.job, status: "cancelled", error: request.change.reason } as const
        return { kind: "ok", nowMs: 0, report: { ...report, job }, more: false }
      },
    }),
  },
]

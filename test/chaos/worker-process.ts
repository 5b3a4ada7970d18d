// A worker process: works until it is told to stop, or until it is killed.

import type { WorkerOptions } from "../../src/index.ts"
import { type ChildSettings, readSettings, startChild } from "./child.ts"
import { slotTasks } from "./slot-tasks.ts"
import { stormTasks } from "./storm-tasks.ts"

export interface WorkerProcessSettings extends ChildSettings {
  readonly tasks: "storm" | "slots"
  readonly worker: WorkerOptions
}

const settings = readSettings<WorkerProcessSettings>()
const stop = new AbortController()
const { queue, write, say } = await startChild(settings, ({ kind }) => kind === "stop" && stop.abort())
const tasks = settings.tasks === "storm" ? stormTasks(write) : slotTasks(write)
// Its name in the record is its name in the store.
const worker = queue.worker(tasks, { ...settings.worker, id: settings.proc })
worker.on("worker.started", () => say({ kind: "ready" }))
await worker.run({ signal: stop.signal })
await queue.close()
process.exit(0)

// A command line on a store where a process with limits has been at work: 10 tasks of each host went through in the first
// second, the others wait.

import { defineLimit, defineTask, type Queue, type Task } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine, type CommandLineOptions } from "./command-line.ts"

export const vendorApi = defineLimit("vendor-api", { rate: "10/10s", concurrency: 5, provider: "sliding" })

export const callApi = defineTask("call_api", {
  limits: ({ host }: { host: string }) => [vendorApi(host)],
  run: () => "called",
})

export interface LimitedLine {
  readonly line: CommandLine
  readonly world: VirtualWorld
  readonly queue: Queue
  /** Those of host-1, in the order of their submission. */
  readonly tasks: readonly Task[]
}

/** 14 tasks for host-1 and one for host-2; the worker has gone three seconds later. */
export async function limitedLine(options: Omit<CommandLineOptions, "world"> = {}): Promise<LimitedLine> {
  const world = new VirtualWorld()
  const line = new CommandLine({ env: { USER: "ada" }, ...options, world })
  const queue = await line.queue()
  const tasks = await queue.submitMany(callApi, Array(14).fill({ host: "host-1" }))
  await queue.submit(callApi, { host: "host-2" })
  const worker = queue.worker([callApi])
  const running = worker.run()
  await world.advanceUntil(async () => (await queue.counts()).completed === 11)
  worker.stop()
  await world.settle()
  await running
  await world.advance(3_000)
  return { line, world, queue, tasks }
}

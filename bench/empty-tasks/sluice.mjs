// Sluice through its public API. With groups, every task passes a limit of its own group: `limit` says which, wide enough that nobody is held
// back, because what is measured is what it costs to ask.
import { connect, defineLimit, defineTask } from "../../dist/index.js"
import { groups, run, url } from "./subject.mjs"

export async function runSluice({ limit, concurrency, ...others }, mostMs) {
  const group = defineLimit("group", limit)
  let handler = () => {}
  const task = defineTask("empty", {
    ...(groups ? { limits: (input) => [group(`group-${input.n % groups}`)] } : {}),
    run: (input) => handler(input.n),
  })
  let queue
  let worker
  let ended
  const subject = {
    open: async () => {
      queue = await connect(url)
    },
    submitMany: (inputs) => queue.submitMany(task, inputs),
    submit: (input) => queue.submit(task, input),
    work: async (given) => {
      handler = given
      worker = queue.worker([task], { concurrency })
      ended = worker.run()
    },
    stop: async () => {
      worker.stop()
      await ended
    },
    close: () => queue.close(),
  }
  await run({ ...subject, ...others }, mostMs)
}

// Sluice through its public API. With groups, every task passes a limit of its own group.
import { connect, defineLimit, defineTask } from "../../dist/index.js"
import { concurrency, groups, run, url } from "./subject.mjs"

// Wide enough that nobody is held back: what is measured is what it costs to ask.
const group = defineLimit("group", { concurrency: 10 })
let handler = () => {}
const task = defineTask("empty", {
  ...(groups ? { limits: (input) => [group(`group-${input.n % groups}`)] } : {}),
  run: (input) => handler(input.n),
})
let queue
let worker
let ended

await run({
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
})

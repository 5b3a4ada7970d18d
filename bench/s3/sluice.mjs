// One worker process of Sluice through its public API. Begins when it is told to, tells how many tasks it has settled, and ends when it is told.
import { once } from "node:events"
import { connect, defineTask } from "../../dist/index.js"

const { url, concurrency } = JSON.parse(process.argv[2])
let done = 0
const task = defineTask("empty", { run: () => {} })
const queue = await connect(url)
const worker = queue.worker([task], { concurrency })
worker.on("task.settled", () => {
  done++
})
process.send({ ready: true })
await once(process, "message")
const ended = worker.run()
const telling = setInterval(() => process.send({ done, memory: process.memoryUsage().rss }), 20)
process.once("message", async () => {
  clearInterval(telling)
  worker.stop()
  await ended
  await queue.close()
  process.send({ done, ended: true })
  process.disconnect()
})
process.on("disconnect", () => process.exit())

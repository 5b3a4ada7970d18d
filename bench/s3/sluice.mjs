// One worker process of Sluice through its public API. Tells how many tasks it has settled; ends when it is told.
import { connect, defineTask } from "../../dist/index.js"

const { url, concurrency } = JSON.parse(process.argv[2])
let done = 0
const task = defineTask("empty", { run: () => {} })
const queue = await connect(url)
const worker = queue.worker([task], { concurrency })
worker.on("task.settled", () => {
  done++
})
const ended = worker.run()
const telling = setInterval(() => process.send({ done, memory: process.memoryUsage().rss }), 20)
process.on("message", async () => {
  clearInterval(telling)
  worker.stop()
  await ended
  await queue.close()
  process.send({ done, ended: true })
  process.disconnect()
})
process.on("disconnect", () => process.exit())
process.send({ ready: true })

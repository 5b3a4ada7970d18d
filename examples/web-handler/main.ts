// A limit that is shared with a web handler outside the queue.

import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { atOnce, routes, submit, taskCount, visit, visitors } from "./load.ts"
import { weatherServer } from "./server.ts"
import { refresh } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("web-handler") })
const server = weatherServer(queue, provider.url).listen(0, "127.0.0.1")
await once(server, "listening")

await submit(queue, provider.url)
const asked = visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
await workUntilDone(queue, [queue.worker([refresh])])
const statuses = await asked

const { requests, refused, mostAtOnce } = await provider.seen("weather")
const answered = (status: number) => statuses.filter((one) => one === status).length

tell(`${taskCount} tasks and ${visitors} visitors at one API, ${atOnce} at once`, [
  ["tasks that completed", (await queue.counts()).completed, exactly(taskCount)],
  ["visitors who were answered", answered(200), exactly(visitors - 1)],
  ["… who were told to come again", answered(429), exactly(1)],
  ["429s of the API, caused by others", refused, exactly(1)],
  ["requests beside it", requests - refused, exactly(taskCount + visitors - 1)],
  ["requests at once, at most", mostAtOnce, atMost(atOnce)],
])
server.closeAllConnections()
server.close()
await queue.close()
await provider.stop()

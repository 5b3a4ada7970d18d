// Moving from BullMQ: what before.mjs does, by tasks.ts.

import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { names, perSecond, routes, submit } from "./load.ts"
import { sendMail } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("from-bullmq") })
const submitted = await submit(queue, provider.url)
const again = await submit(queue, provider.url)

// `concurrency: 20` and `removeOnComplete: { age }`.
await workUntilDone(queue, [queue.worker([sendMail], { concurrency: 20, retention: "7d" })])

const ended = await Promise.all(submitted.map(({ id }) => queue.get(id)))
const { requests, refused, mostInWindow } = await provider.seen("mails")
const early = ended.filter((task) => task?.startedAt && task.startedAt < task.availableAt)

tell(`${names.length} mails, submitted twice`, [
  ["mails that were sent", (await queue.counts()).completed, exactly(names.length)],
  ["submitted again and found", again.filter(({ id }, i) => id === submitted[i]?.id).length, exactly(names.length)],
  ["429s, caused by others", refused, exactly(1)],
  ["requests beside it", requests - refused, exactly(names.length)],
  ["… in any second, at most", mostInWindow["requests all"], atMost(perSecond)],
  ["retries", ended.reduce((sum, task) => sum + (task?.retryCount ?? 0), 0), exactly(0)],
  ["started before their delay was over", early.length, exactly(0)],
])
await queue.close()
await provider.stop()

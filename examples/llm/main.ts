// A language model under requests and tokens per minute, with a share for each tenant.

import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { limits, prompts, routes, submit } from "./load.ts"
import { complete } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("llm") })
const submitted = await submit(queue, provider.url)
console.log((await queue.explain(submitted[prompts.acme - 1]?.id ?? "")).text)

await workUntilDone(queue, [queue.worker([complete], { concurrency: 20 })])

const ended = await Promise.all(submitted.map(({ id }) => queue.get(id)))
const lastStart = (from: number, to: number) => Math.max(...ended.slice(from, to).map((task) => Number(task?.startedAt)))
const { requests, refused, mostInWindow } = await provider.seen("llm")

tell(`${submitted.length} prompts of two tenants`, [
  ["prompts that were answered", (await queue.counts()).completed, exactly(submitted.length)],
  ["requests that the model saw", requests, exactly(submitted.length)],
  ["… in any second, at most", mostInWindow["requests all"], atMost(limits.requests)],
  ["tokens in any second, at most", mostInWindow["tokens all"], atMost(limits.tokens)],
  ["… of one tenant", Math.max(mostInWindow["tokens acme"] ?? 0, mostInWindow["tokens zeta"] ?? 0), atMost(limits.share)],
  ["429s", refused, exactly(0)],
  ["the small tenant was done first", lastStart(prompts.acme, submitted.length) < lastStart(0, prompts.acme), exactly(true)],
])
await queue.close()
await provider.stop()

// A library at the work of the first case. No kill: what it knows of the limits dies with its process.
import { excessMs, firstWindowMs, mostInWindow, spanMs } from "./arrivals.mjs"
import { withChildren } from "./children.mjs"
import { spread } from "./spread.mjs"
import { startProvider } from "./start-provider.mjs"

export function runLibrary({ script, strict }, shape, counting, random) {
  return withChildren(shape.longestRunMs, async (start) => {
    const provider = await startProvider(start, shape, counting, random)
    const library = start(script, { url: provider.url, order: shape.order(random), limit: shape.limit, windowMs: shape.windowMs, strict })
    await library.next("done")
    const log = await provider.log()
    const accepted = log.filter(({ status }) => status === 200).length
    return {
      ms: spanMs(log),
      accepted,
      refused: log.length - accepted,
      neverAccepted: shape.tasks - accepted,
      mostInWindow: mostInWindow(log, provider.options),
      firstWindowMs: spread(firstWindowMs(log, shape)),
      excessMs: spread(excessMs(log, shape)),
    }
  })
}

// Bottleneck at the same work, in one process and without a store: a limiter for each guild, its reservoir filled up every window.
import Bottleneck from "bottleneck"
import { runLibrary } from "./library.mjs"

await runLibrary(({ limit, windowMs }) => {
  const group = new Bottleneck.Group({
    reservoir: limit,
    reservoirRefreshAmount: limit,
    reservoirRefreshInterval: windowMs,
  })
  return (guild, run) => group.key(guild).schedule(run)
})

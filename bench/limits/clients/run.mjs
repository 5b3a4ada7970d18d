// One client against one provider, on a clock of its own.
import { createNetwork } from "../emulator/network.mjs"
import { createProvider } from "../emulator/provider.mjs"
import { virtualSend } from "../emulator/virtual-send.mjs"
import { EventLoop } from "../events.mjs"
import { createLog } from "../measure.mjs"
import { arrivals, backlog } from "../source.mjs"
import { aimd } from "./aimd.mjs"
import { anchoredWindow } from "./anchored-window.mjs"
import { awsCubic } from "./aws-cubic.mjs"
import { paced } from "./paced.mjs"
import { seed000 } from "./seed-000.mjs"
import { seed002 } from "./seed-002.mjs"
import { seed003 } from "./seed-003.mjs"
import { seed004 } from "./seed-004.mjs"
import { slidingLog } from "./sliding-log.mjs"
import { tokenBucket } from "./token-bucket.mjs"

/** Those that are told the limit, and those that have to find it. Each is `({ clock, send, source, limit, perMs })` and never ends. */
export const knowing = {
  "seed 002": seed002,
  "anchored window (BullMQ)": anchoredWindow,
  "sliding log": slidingLog,
  "token bucket": tokenBucket,
  paced,
}
export const finding = { "seed 000": seed000, "seed 003": seed003, "seed 004": seed004, AIMD: aimd, "AWS CUBIC": awsCubic }

/**
 * `provider` as createProvider takes it, `network` as createNetwork does. A backlog without end but for `idle` stretches, or a
 * `trace` of arrivals. Answers with the log of what arrived at the provider.
 */
export async function runClient(client, { provider: options, network, trace, idle, fromMs = 0, durationMs }) {
  const log = createLog()
  const clock = new EventLoop(fromMs)
  const provider = createProvider({ ...options, observe: log.observe })
  const send = virtualSend({ provider, network: createNetwork(network), clock })
  const source = trace ? arrivals(clock, trace) : backlog(clock, { idle })
  client({ clock, send, source, limit: options.limit, perMs: options.perMs })
  const events = await clock.runUntil(fromMs + durationMs)
  return { log, provider, events, fromMs, toMs: fromMs + durationMs }
}

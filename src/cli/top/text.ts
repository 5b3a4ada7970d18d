// The view of `sluice top` as lines for a terminal of any size: what does not fit is left out from below, never wrapped.

import type { WaitingReason } from "../../http/overview.ts"
import type { Sample } from "../../http/samples.ts"
import { windowText } from "../../queue/window-text.ts"
import { formatDuration } from "../../units/index.ts"
import type { Paint } from "../colour.ts"
import { plain } from "../plain.ts"
import type { Gate, TopView } from "./view.ts"

export interface Size {
  readonly width: number
  /** Null: as many lines as there are. */
  readonly height: number | null
}

const reasons: Readonly<Record<WaitingReason, string>> = {
  gate: "at a gate",
  ready: "ready for a worker",
  not_due: "not due yet",
  no_worker: "no worker",
  unrouted: "unrouted",
}
const blocks = " ▁▂▃▄▅▆▇█"
const barWidth = 20

/** A line, and the same with colours: widths are counted in the first. */
interface Line {
  readonly text: string
  readonly paint?: (text: string) => string
}

export function topLines(view: TopView, { width, height }: Size, paint: Paint): string[] {
  const { overview, samples, gates } = view
  const above: Line[] = [
    { text: `sluice top  ${plain(overview.namespace)} on ${overview.store}  ${overview.now.slice(11, 19)}Z` },
    { text: "" },
    ...figures(view, width, paint),
    { text: "" },
    { text: "Completed a second, last hour", paint: (text) => paint("grey", text) },
    { text: spark(samples, width) || "the first samples are taken in the first 20 seconds" },
    { text: "" },
    { text: `Why tasks wait${overview.is_estimate ? " (estimated)" : ""}`, paint: (text) => paint("grey", text) },
    ...reasonLines(view),
    { text: "" },
    { text: "Gates that hold most", paint: (text) => paint("grey", text) },
  ]
  const room = height === null ? gates.length : Math.max(0, height - above.length)
  const below = gateLines(gates.slice(0, room), Date.parse(overview.now), width)
  const lines = [...above, ...(below.length === 0 ? [{ text: "  none" }] : below)]
  return lines.slice(0, height ?? lines.length).map(({ text, paint: painted }) => (painted ?? ((one) => one))(cut(text, width)))
}

/** "throughput 12/s   waiting 1234   …", in as many lines as it takes. */
function figures({ overview, samples }: TopView, width: number, paint: Paint): Line[] {
  const { counts, oldest_waiting: oldest, live_workers: workers } = overview
  const last = samples.length > 1 ? samples.at(-1) : undefined
  const parts: readonly (readonly [string, string])[] = [
    ["throughput", last ? `${Math.round(last.completed * 10) / 10}/s` : "-"],
    ["waiting", String(counts.pending)],
    ["running", String(counts.running)],
    ["failed", String(counts.failed)],
    ["expired", String(counts.expired)],
    ["oldest", oldest ? formatDuration(oldest.seconds * 1_000) : "-"],
    ["workers", String(workers)],
  ]
  const lines: string[] = []
  for (const [name, value] of parts) {
    const text = `${name} ${value}`
    const before = lines.at(-1)
    if (before !== undefined && before.length + 3 + text.length <= width) lines[lines.length - 1] = `${before}   ${text}`
    else lines.push(text)
  }
  const isBad = counts.failed > 0
  return lines.map((text) => ({ text, paint: (shown) => (isBad ? shown.replace(/failed \d+/, (part) => paint("red", part)) : shown) }))
}

function reasonLines({ overview }: TopView): Line[] {
  const { waiting_by_reason: counts } = overview
  const total = Math.max(1, ...[Object.values(counts).reduce((sum, count) => sum + count, 0)])
  const digits = Math.max(...Object.values(counts).map((count) => String(count).length))
  return (Object.keys(reasons) as WaitingReason[]).map((reason) => {
    const full = Math.round((counts[reason] / total) * barWidth)
    return {
      text: `  ${reasons[reason].padEnd(18)}  ${"█".repeat(full)}${"░".repeat(barWidth - full)}  ${String(counts[reason]).padStart(digits)}`,
    }
  })
}

/** Each column as many samples as fit into it. */
function spark(samples: readonly Sample[], width: number): string {
  if (samples.length < 2) return ""
  const columns = Math.min(width, samples.length)
  const rates = Array.from({ length: columns }, (_, i) => {
    const some = samples.slice(Math.floor((i * samples.length) / columns), Math.floor(((i + 1) * samples.length) / columns))
    return some.reduce((sum, { completed }) => sum + completed, 0) / some.length
  })
  const most = Math.max(...rates, 0.001)
  return rates.map((rate) => blocks[rate === 0 ? 0 : Math.max(1, Math.round((rate / most) * 8))]).join("")
}

function gateLines(gates: readonly Gate[], nowMs: number, width: number): Line[] {
  const rows = gates.map((gate) => [plain(gate.gate), stateText(gate, nowMs), levelText(gate), String(gate.waiting_tasks)] as const)
  const [name = 0, state = 0, , waiting = 0] = [0, 1, 2, 3].map((i) => Math.max(0, ...rows.map((row) => row[i]?.length ?? 0)))
  // Where it is narrow the level goes first, then the end of the name.
  const nameWidth = Math.max(10, Math.min(name, width - state - waiting - 6))
  return rows.map(([gate, is, full, count]) => ({
    text: `  ${cut(gate, nameWidth).padEnd(nameWidth)}  ${count.padStart(waiting)}  ${is.padEnd(state)}  ${full}`,
  }))
}

function stateText(gate: Gate, nowMs: number): string {
  const left = (until: string) => formatDuration(Math.max(0, Date.parse(until) - nowMs))
  if (gate.is_paused) return "paused"
  if (gate.closed_until !== null && Date.parse(gate.closed_until) > nowMs) return `closed for ${left(gate.closed_until)}`
  if (gate.cooldown !== null && Date.parse(gate.cooldown.until) > nowMs) return `cools down for ${left(gate.cooldown.until)}`
  if (gate.slots !== null && gate.slots.held >= gate.slots.of) return "all slots taken"
  return gate.opens_at !== null && Date.parse(gate.opens_at) > nowMs ? `opens in ${left(gate.opens_at)}` : "open"
}

function levelText({ levels, slots }: Gate): string {
  return [
    ...levels.map(({ used, of, per_ms: perMs }) => `${used}/${of} in ${windowText(perMs)}`),
    ...(slots ? [`${slots.held}/${slots.of} slots`] : []),
  ].join(", ")
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

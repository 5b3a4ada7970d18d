// The figures of the lanes bench, for a terminal and for a document.
import { markdownTable, mebibytes, ratio, textTable, whole } from "../report/figures.mjs"

const ms = (value) => `${value.toFixed(2)} ms`

function rows({ empty, full }) {
  const row = (name, side) => [
    name,
    whole(side.waiting),
    ms(side.p50),
    ms(side.p99),
    side.touchedPerTask.toFixed(1),
    mebibytes(side.heapBytes),
  ]
  return [["backlog", "waiting tasks", "claim p50", "claim p99", "most touched a task", "heap"], row("empty", empty), row("blocked", full)]
}

function lines(result) {
  const { ratios, submitPerS, gates } = result
  return [
    `${whole(result.claims)} claims of ${result.size} tasks on each, taking turns; ${whole(result.full.waiting)} tasks wait at ${whole(gates)} gates, submitted at ${whole(submitPerS)}/s.`,
    `blocked / empty: p50 ${ratio(ratios.p50)}, p99 ${ratio(ratios.p99)} (median of ${result.rounds} rounds; pass line 2).`,
  ]
}

export const toText = (result) => `${textTable(rows(result))}\n\n${lines(result).join("\n")}`

export function toMarkdown(result) {
  const { machine } = result
  const facts = [`- Command: \`${result.command}\``, `- CPU: ${machine.cpu}`, `- Disk: ${machine.disk}`, `- Runtime: ${machine.node}`]
  return [facts.join("\n"), markdownTable(rows(result)), ...lines(result)].join("\n\n")
}

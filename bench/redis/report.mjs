// The figures of the Redis bench, for a terminal and for a document.
import { markdownTable, median, ratio, textTable, whole } from "../report/figures.mjs"

const ms = (value) => `${value.toFixed(2)} ms`

function rateRows({ subjects, samples }, key) {
  const head = [
    "tasks/s",
    "submit",
    "process",
    "worst",
    "client CPU µs/task: submit",
    "process",
    "bytes/waiting task",
    "process, times BullMQ",
  ]
  const base = samples[key].bullmq
  const rows = subjects
    .filter((subject) => samples[key][subject.key])
    .map(({ key: name, name: shown }) => {
      const own = samples[key][name]
      const of = (read) => median(own.map(read))
      const times = median(own.map((sample, i) => sample.work.tasksPerS / base[i].work.tasksPerS))
      return [
        shown,
        whole(of(({ submit }) => submit.tasksPerS)),
        whole(of(({ work }) => work.tasksPerS)),
        whole(Math.min(...own.map(({ work }) => work.tasksPerS))),
        of(({ submit }) => submit.cpuUs).toFixed(1),
        of(({ work }) => work.cpuUs).toFixed(1),
        whole(of(({ bytes }) => bytes)),
        ratio(times),
      ]
    })
  return [head, ...rows]
}

function latencyRows({ subjects, samples }) {
  const rows = subjects.map(({ key, name }) => {
    const of = (read) => ms(median(samples.latency[key].map(read)))
    return [name, of(({ p50 }) => p50), of(({ p99 }) => p99)]
  })
  return [["submit to start at 100 tasks/s", "p50", "p99"], ...rows]
}

function blockedRows({ blocked }) {
  if (!blocked) return null
  const row = (name, waiting, { p50, p99 }) => [name, whole(waiting), ms(p50), ms(p99)]
  return [
    ["claims of 10 tasks", "waiting tasks", "p50", "p99"],
    row("empty", 0, blocked.empty),
    row("blocked", blocked.waiting, blocked.full),
  ]
}

const titles = ({ tasks, groups }) => ({
  plain: `${whole(tasks)} empty tasks, no limits.`,
  grouped: `${whole(tasks)} empty tasks, each behind the limit of its group, ${whole(groups)} groups (BullMQ: its limiter for the whole queue).`,
})

function parts(result, table) {
  const title = titles(result)
  const blocked = blockedRows(result)
  return [
    title.plain,
    table(rateRows(result, "plain")),
    title.grouped,
    table(rateRows(result, "grouped")),
    table(latencyRows(result)),
    ...(blocked ? [table(blocked)] : []),
  ]
}

export const toText = (result) => parts(result, textTable).join("\n\n")

export function toMarkdown(result) {
  const { machine } = result
  const facts = [
    `- Date: ${result.date}`,
    `- Command: \`${result.command}\``,
    `- Server: Redis ${result.server}, nothing written to disk`,
    `- CPU: ${machine.cpu}`,
    `- Runtime: ${machine.node}`,
  ]
  return [`Median of ${result.rounds} rounds.`, facts.join("\n"), ...parts(result, markdownTable)].join("\n\n")
}

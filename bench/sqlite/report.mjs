// From the samples of a run to tables: for a terminal and for RESULTS.md.
import { markdownTable, mebibytes, median, ratio, tenths, textTable, whole } from "../report/figures.mjs"

/** A task's whole life at the rates of both phases. */
const lifeRate = ({ submit, work }) => 1 / (1 / submit.tasksPerS + 1 / work.tasksPerS)

const rates = {
  submit: ({ submit }) => submit.tasksPerS,
  process: ({ work }) => work.tasksPerS,
  both: lifeRate,
}

function rateTable({ subjects }, durability) {
  const head = [
    `durability ${durability}, tasks/s`,
    "submit",
    "worst",
    "process",
    "worst",
    "both",
    "CPU µs/task: submit",
    "process",
    "peak memory",
    "file bytes/task",
  ]
  const rows = subjects
    .filter((subject) => subject.durability === durability)
    .map(({ name, samples }) => {
      const of = (figure) => samples.map(figure)
      return [
        name,
        whole(median(of(rates.submit))),
        whole(Math.min(...of(rates.submit))),
        whole(median(of(rates.process))),
        whole(Math.min(...of(rates.process))),
        whole(median(of(lifeRate))),
        tenths(median(of(({ submit }) => submit.cpuUs))),
        tenths(median(of(({ work }) => work.cpuUs))),
        mebibytes(median(of(({ peakRssBytes }) => peakRssBytes))),
        whole(median(of(({ fileBytes, submit }) => fileBytes / submit.tasks))),
      ]
    })
  return [head, ...rows]
}

/** Round by round, because what disturbs one subject of a round mostly disturbs its neighbour too. */
function ratioTable({ subjects, comparisons }) {
  const found = (key) => subjects.find((subject) => subject.key === key)
  const cpuUs = ({ submit, work }) => submit.cpuUs + work.cpuUs
  const head = ["ratio of rates", ...Object.keys(rates).flatMap((name) => [name, "worst"]), "by CPU time"]
  const rows = comparisons.map(([mine, other]) => {
    const [a, b] = [found(mine), found(other)]
    const cells = Object.values(rates).flatMap((rate) => {
      const ratios = a.samples.map((sample, round) => rate(sample) / rate(b.samples[round]))
      return [ratio(median(ratios)), ratio(Math.min(...ratios))]
    })
    return [`Sluice / ${b.name}, ${a.durability}`, ...cells, ratio(median(b.samples.map(cpuUs)) / median(a.samples.map(cpuUs)))]
  })
  return [head, ...rows]
}

function memoryTable({ memory }) {
  const rows = memory.map(({ finished, heapBytes, rssBytes }) => [whole(finished), mebibytes(heapBytes), mebibytes(rssBytes)])
  return [["finished tasks", "JavaScript heap in use", "resident memory"], ...rows]
}

function facts({ date, command, machine, subjects }) {
  const drivers = new Map(subjects.map(({ name, samples }) => [samples[0].driver, name.split(",")[0]]))
  return {
    Date: date,
    Command: `\`${command}\``,
    CPU: machine.cpu,
    Memory: machine.memory,
    Disk: `${machine.disk}; a 4 KiB write with its flush took ${machine.flushMs.toFixed(2)} ms (median) when the run began`,
    Runtime: machine.node,
    Drivers: [...drivers].map(([driver, name]) => `${driver} (${name})`).join("; "),
    ...partsOf(subjects),
  }
}

/** Who was stopped before the end of its backlog, and how far it was. */
function partsOf(subjects) {
  const parts = subjects
    .map(({ name, durability, samples }) => ({
      name,
      durability,
      part: Math.min(...samples.map(({ work, submit }) => work.tasks / submit.tasks)),
    }))
    .filter(({ part }) => part < 1)
    .map(
      ({ name, durability, part }) =>
        `${name}, ${durability}: stopped by the clock with at least ${Math.floor(part * 100)} % of the tasks done`,
    )
  return parts.length > 0 ? { Stopped: parts.join("; ") } : {}
}

function tablesOf(result) {
  const durabilities = new Set(result.subjects.map(({ durability }) => durability))
  return [...[...durabilities].map((durability) => rateTable(result, durability)), ratioTable(result), memoryTable(result)]
}

export function toText(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `${name}: ${value.replaceAll("`", "")}`)
  const title = `${whole(result.tasks)} empty tasks, median and worst of ${result.rounds} rounds`
  return [title, lines.join("\n"), ...tablesOf(result).map(textTable)].join("\n\n")
}

export function toMarkdown(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `- ${name}: ${value}`)
  const title = `${whole(result.tasks)} empty tasks, median and worst of ${result.rounds} rounds.`
  return [title, lines.join("\n"), ...tablesOf(result).map(markdownTable)].join("\n\n")
}

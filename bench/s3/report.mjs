// The figures of the S3 bench, for a terminal and for a document.
import { markdownTable, mebibytes, ratio, textTable, whole } from "../report/figures.mjs"

/** AWS list prices of S3 Standard, us-east-1, in dollars a request. Deletes are free. */
const prices = { PUT: 5e-6, LIST: 5e-6, GET: 4e-7, HEAD: 4e-7, DELETE: 0 }
const verbs = ["PUT", "GET", "LIST", "HEAD", "DELETE"]

const totalOf = ({ submitted, worked }) =>
  Object.fromEntries(verbs.map((verb) => [verb, (submitted.counts[verb] ?? 0) + (worked.counts[verb] ?? 0)]))
const requestsOf = (sample) => verbs.reduce((sum, verb) => sum + totalOf(sample)[verb], 0)
const costOf = (counts) => verbs.reduce((sum, verb) => sum + (counts[verb] ?? 0) * prices[verb], 0)
const rateOf = ({ tasks, workMs }) => (tasks / workMs) * 1_000
const nameOf = ({ subject, processes }) =>
  subject === "plain" ? "one object a task" : `Sluice, ${processes} ${processes === 1 ? "process" : "processes"}`

function rateRows(samples) {
  const plain = samples.find(({ subject }) => subject === "plain")
  const head = ["tasks/s", "submit", "process", "times one object a task", "memory a process"]
  const rows = samples.map((sample) => [
    nameOf(sample),
    whole((sample.tasks / sample.submitMs) * 1_000),
    whole(rateOf(sample)),
    ratio(rateOf(sample) / rateOf(plain)),
    sample.memory ? mebibytes(sample.memory) : "",
  ])
  return [head, ...rows]
}

function costRows(samples) {
  const head = ["requests a task", ...verbs, "all", "bytes sent", "bytes received", "$ a million tasks"]
  const rows = samples.map((sample) => {
    const counts = totalOf(sample)
    const a = (value) => (value / sample.tasks).toFixed(3)
    const bytes = (way) => whole((sample.submitted.bytes[way] + sample.worked.bytes[way]) / sample.tasks)
    const dollars = ((costOf(counts) / sample.tasks) * 1e6).toFixed(2)
    return [nameOf(sample), ...verbs.map((verb) => a(counts[verb])), a(requestsOf(sample)), bytes("sent"), bytes("received"), dollars]
  })
  return [head, ...rows]
}

function idleText({ seconds, counts }) {
  const hourly = (verb) => ((counts[verb] ?? 0) / seconds) * 3_600
  const counted = verbs.filter((verb) => hourly(verb) > 0).map((verb) => `${whole(hourly(verb))} ${verb}`)
  const month = (costOf(counts) / seconds) * 3_600 * 24 * 30
  return `An idle worker, over ${seconds} s: ${counted.join(", ")} an hour, $${month.toFixed(2)} a month.`
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`

function startRows({ finished, live, captureMs, writeMs, bytes, startMs, heap, rss }) {
  return [
    ["a namespace of", "snapshot", "held up by it", "written in", "a process starts in", "heap", "memory"],
    [
      `${whole(finished)} finished, ${whole(live)} live`,
      ...[mebibytes(bytes), seconds(captureMs), seconds(writeMs), seconds(startMs), mebibytes(heap), mebibytes(rss)],
    ],
  ]
}

const shown = {
  near: ({ measured }, table) => [table(rateRows(measured)), table(costRows(measured))],
  far: ({ measured }, table) => [table(rateRows(measured)), table(costRows(measured))],
  idle: ({ measured }) => [idleText(measured)],
  start: ({ measured }, table) => [table(startRows(measured))],
}

export const toText = (result) => shown[result.part](result, textTable).join("\n\n")

export function toMarkdown(result) {
  const { machine } = result
  const facts = [
    `- Date: ${result.date}`,
    `- Command: \`${result.command}\``,
    `- Server: ${result.server}, on the same machine`,
    `- CPU: ${machine.cpu}`,
    `- Runtime: ${machine.node}`,
  ]
  return [facts.join("\n"), ...shown[result.part](result, markdownTable)].join("\n\n")
}

// The figures of the HTTP bench, for a terminal and for a document.
import { markdownTable, mebibytes, median, ratio, textTable, whole } from "../report/figures.mjs"
import { mostGrownBytes } from "./verdict.mjs"

const ms = (value) => `${value.toFixed(1)} ms`

function rateRows({ store, samples }) {
  const head = [`${store}, calls/s`, "store", "p99", "API", "p99", "worst", "API / store", "server CPU µs/request"]
  const rows = Object.entries(samples).map(([name, own]) => {
    const of = (read) => median(own.map(read))
    return [
      name,
      whole(of(({ store: side }) => side.perS)),
      ms(of(({ store: side }) => side.p99)),
      whole(of(({ api }) => api.perS)),
      ms(of(({ api }) => api.p99)),
      ms(Math.max(...own.map(({ api }) => api.p99))),
      ratio(of(({ store: side, api }) => api.perS / side.perS)),
      whole(of(({ api }) => api.serverCpuUs)),
    ]
  })
  return [head, ...rows]
}

function soakRows({ soak: { seen } }) {
  const rows = seen.map(({ second, requests, heapBytes, rssBytes, streams, connections }) => [
    second === null ? "all gone" : `${second} s`,
    whole(requests),
    whole(streams),
    whole(connections),
    mebibytes(heapBytes),
    mebibytes(rssBytes),
  ])
  return [["soak", "requests", "open streams", "open connections", "server's heap", "server's resident memory"], ...rows]
}

function soakLine({ soak, clients, streams, seconds }) {
  const { requests, perS, p99, events, completed, errors } = soak
  return (
    `${whole(clients)} clients and ${whole(streams)} open event streams for ${seconds} s: **${errors} errors** in ${whole(requests)} requests (${whole(perS)}/s, p99 ${ms(p99)}), ` +
    `${whole(events)} events told, ${whole(completed)} tasks completed meanwhile by a worker through the server. Pass lines: no error; a heap at the end of at most ${mebibytes(mostGrownBytes)} above that of the first look.`
  )
}

function parts(result, table) {
  return [...result.stores.map((store) => table(rateRows(store))), ...(result.soak ? [soakLine(result), table(soakRows(result))] : [])]
}

function facts({ date, command, machine, load }) {
  return {
    Date: date,
    Command: `\`${command}\``,
    CPU: machine.cpu,
    Disk: `${machine.disk}; a 4 KiB write with its flush took ${machine.flushMs.toFixed(2)} ms (median) when the run began`,
    Runtime: machine.node,
    "Other work": busyText(load),
  }
}

/** Of a machine whose cores had more to do than this run, before it began. */
function busyText(load) {
  const told = `load average ${load.toFixed(1)} when the run began`
  return load < 1 ? told : `${told}: **not quiet**, so ratios and CPU times say something, rates and latencies little`
}

const title = ({ inFlight, rounds }) => `${inFlight} calls under way at once; median of ${rounds} rounds, _worst_ is the worst of them.`

export function toText(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `${name}: ${value.replaceAll("`", "")}`)
  return [title(result).replaceAll("_", ""), lines.join("\n"), ...parts(result, textTable).map((part) => part.replaceAll("**", ""))].join(
    "\n\n",
  )
}

export function toMarkdown(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `- ${name}: ${value}`)
  return [title(result), lines.join("\n"), ...parts(result, markdownTable)].join("\n\n")
}

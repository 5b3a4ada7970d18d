// sluice job watch: a progress bar that follows a job to its end. Where nobody looks at a terminal, a line for each change.

import type { Command } from "commander"
import { SluiceError } from "../../../errors/index.ts"
import { isFull } from "../../../queue/gate-view.ts"
import type { Job, JobDetailView, Queue } from "../../../queue/index.ts"
import { parseDuration } from "../../../units/index.ts"
import { sleep } from "../../../world/index.ts"
import { colourOf } from "../../colour.ts"
import { define } from "../../define.ts"
import { asDuration, type Given, readFlag } from "../../flags.ts"
import { opensText } from "../../gate-text.ts"
import { countsText, finishText, heldText, percentText, rateText } from "../../job-text.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"
import { table } from "../../table.ts"
import { runningRow } from "./show.ts"

const everyMs = 1_000
const shownRunning = 5

export function addJobWatch(job: Command, session: Session): void {
  define(job, {
    usage: "watch <id>",
    summary: "Follow a job to its end",
    details:
      "Shows how far it is, how fast, what holds it back and when it ends. Exits with 0 when it completes, with 5 when it failed or was cancelled.",
    examples: ["sluice job watch 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a", "sluice job watch 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a --every 5s"],
  })
    .option("--every <duration>", "How often it looks (default: 1s)")
    .action(async (id: string, given: Given) => {
      const pauseMs = Math.max(100, readFlag(given, "every", asDuration, parseDuration) ?? everyMs)
      await session.withQueue((queue) => watch(session, queue, id, pauseMs))
    })
}

async function watch(session: Session, queue: Queue, id: string, pauseMs: number): Promise<void> {
  const stop = new AbortController()
  const letGo = session.io.onSignal(() => stop.abort())
  const screen = new Screen(session)
  try {
    while (!stop.signal.aborted) {
      const detail = await queue.jobs.show(id)
      screen.show(detail, await queue.now())
      if (detail.job.status !== "running") return end(detail.job)
      await sleep(queue.world, pauseMs, stop.signal)
    }
  } finally {
    letGo()
  }
}

function end({ id, status, error }: Job): void {
  if (status === "completed") return
  throw new SluiceError(
    "job_ended",
    `job ${id}: expected it to complete, but it ${status === "failed" ? "failed" : "was cancelled"}${error === null ? "" : `: ${error}`}`,
  )
}

class Screen {
  private readonly session: Session
  private drawn = 0
  private last = ""

  constructor(session: Session) {
    this.session = session
  }

  show(detail: JobDetailView, now: Date): void {
    const { session } = this
    if (session.isJson) {
      this.line(JSON.stringify(detail.job), () => session.printJson(detail.job.toJSON()))
      return
    }
    if (!session.io.stdout.isTTY) {
      const text = lineOf(detail, now)
      this.line(`${detail.job.ended} ${detail.job.status} ${detail.heldBy}`, () => session.print(text))
      return
    }
    const lines = block(session, detail, now)
    // Back to where it began, each line cleared before it is written again.
    const up = this.drawn > 0 ? `\u001b[${this.drawn}A` : ""
    session.io.stdout.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join("")}\u001b[0J`)
    this.drawn = lines.length
  }

  /** Only what has changed. */
  private line(state: string, print: () => void): void {
    if (state === this.last) return
    this.last = state
    print()
  }
}

/** "38 %, 380 of 1000, 12/s, ends in about 52s, held by vendor-api" */
function lineOf({ job, heldBy }: JobDetailView, now: Date): string {
  const ends = finishText(job, now)
  return [
    ...(job.status === "running" ? [] : [job.status]),
    percentText(job),
    `${job.ended} of ${job.total}`,
    ...(rateText(job) === null ? [] : [rateText(job)]),
    ...(ends === null ? [] : [`ends ${ends}`]),
    ...(heldBy === null ? [] : [`held by ${plain(heldText(heldBy, job))}`]),
  ].join(", ")
}

function block(session: Session, detail: JobDetailView, now: Date): string[] {
  const { job, heldBy, gates, running } = detail
  const width = session.io.stdout.columns ?? 100
  const ends = finishText(job, now)
  const facts = [percentText(job), `${job.ended} of ${job.total}`, rateText(job), ends && `ends ${ends}`].filter((fact) => fact !== null)
  const text = `  ${facts.join("  ")}`
  const gate = gates.find((one) => one.gate === heldBy)
  const held =
    heldBy === null ? null : `held by ${plain(heldText(heldBy, job))}${gate && !isFull(gate, now) ? `, opens ${opensText(gate, now)}` : ""}`
  const rows = running.slice(0, shownRunning).map((task) => runningRow(task, now).map((cell) => ({ text: cell })))
  return [
    `${plain(job.name)}  ${session.paint(colourOf(job.status), job.status)}`,
    `${bar(job.progress, Math.max(10, Math.min(50, width - text.length - 3)))}${text}`,
    ...[countsText(job), held].filter((line) => line !== null && line !== ""),
    ...table(rows, { width }),
    ...(running.length > shownRunning ? [`and ${running.length - shownRunning} more`] : []),
  ].map((line) => String(line))
}

function bar(progress: number, width: number): string {
  const full = Math.floor(progress * width)
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`
}

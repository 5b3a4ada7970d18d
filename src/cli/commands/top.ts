// sluice top: the overview, live in a terminal. Where nobody looks at one, what it is now, once.

import type { Command } from "commander"
import { isSluiceError } from "../../errors/index.ts"
import { parseDuration } from "../../units/index.ts"
import { sleep } from "../../world/index.ts"
import { define } from "../define.ts"
import { asDuration, type Given, readFlag } from "../flags.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { topLines } from "../top/text.ts"
import { type TopView, withView } from "../top/view.ts"

const everyMs = 1_000
/** A screen of its own, without a cursor; what was there before comes back. */
const enter = "\u001b[?1049h\u001b[?25l"
const leave = "\u001b[?25h\u001b[?1049l"

export function addTop(program: Command, session: Session): void {
  define(program, {
    usage: "top",
    summary: "Watch throughput, what waits and what holds it, live",
    details:
      "Of a store, or of a server (then a token that may only look is enough: SLUICE_READ_TOKEN). q quits. Without a terminal, or with --json, it shows once what is.",
    examples: ["sluice top", "sluice top --store http://127.0.0.1:8400 --every 5s"],
  })
    .option("--every <duration>", "How often it looks (default: 1s)")
    .action(async (given: Given) => {
      const pauseMs = Math.max(100, readFlag(given, "every", asDuration, parseDuration) ?? everyMs)
      await withView(session, (look) => (session.isJson || !session.io.stdout.isTTY ? once(session, look) : follow(session, look, pauseMs)))
    })
}

async function once(session: Session, look: () => Promise<TopView>): Promise<void> {
  const view = await look()
  if (session.isJson) session.printJson(view)
  else session.print(...topLines(view, { width: 120, height: null }, session.paint))
}

async function follow(session: Session, look: () => Promise<TopView>, pauseMs: number): Promise<void> {
  const { io, paint } = session
  const stop = new AbortController()
  let view: TopView | null = null
  let problem: string | null = null
  const draw = () => {
    const size = { width: io.stdout.columns ?? 80, height: (io.stdout.rows ?? 24) - 1 }
    const lines = view ? topLines(view, size, paint) : []
    const last = problem ?? "q quits"
    // Each line cleared to its end as it is written, then what is below: nothing flickers.
    const text = [
      ...lines,
      ...Array.from({ length: Math.max(0, size.height - lines.length) }, () => ""),
      paint(problem ? "red" : "grey", last),
    ]
    io.stdout.write(`\u001b[H${text.map((line) => `${line}\u001b[K`).join("\r\n")}\u001b[J`)
  }
  const letGo = [
    io.onSignal(() => stop.abort()),
    io.onKey((key) => (key === "q" || key === "\u0003" || key === "\u001b" ? stop.abort() : undefined)),
    io.onResize(draw),
  ]
  io.stdout.write(enter)
  try {
    while (!stop.signal.aborted) {
      try {
        view = await look()
        problem = null
      } catch (error) {
        // A store that was there a moment ago is waited for; one that never was is told at once.
        if (view === null || !isSluiceError(error)) throw error
        problem = `not reached, what you see is old: ${plain(error.message)}`
      }
      if (stop.signal.aborted) return
      draw()
      await sleep(io.world, pauseMs, stop.signal)
    }
  } finally {
    for (const one of letGo) one()
    io.stdout.write(leave)
  }
}

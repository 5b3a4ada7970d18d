// What changes, as the server tells it: one stream for the whole page, for what is on the screen. The latest of everything is kept, so that
// going back shows it at once. A stream that ends is opened again, later each time; the page says so meanwhile.

import { type Signal, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { after, type Cancel, chance } from "../browser.ts"
import { ApiError, answered, messageOf, pathOf } from "./client.ts"
import { tick } from "./clock.ts"
import { EventReader, type StreamEvent } from "./event-stream.ts"
import { isTokenWanted, token } from "./token.ts"

export interface Interest {
  readonly topics?: readonly string[]
  readonly tasks?: readonly string[]
  readonly jobs?: readonly string[]
  readonly limits?: readonly string[]
}

export type Connection =
  | { readonly state: "connecting" | "live" }
  /** `why` in the server's words, or ours. */
  | { readonly state: "lost"; readonly why: string }

export const connection = signal<Connection>({ state: "connecting" })

const shortestMs = 500
const longestMs = 10_000
/** The server says something every 15 seconds. */
const silentMs = 40_000

const kept = new Map<string, Signal<unknown>>()
let wanted = ""
let stop: Cancel = () => {}

/** The latest document of a kind; null until there is one. */
export function latest<T>(kind: string, id = ""): Signal<T | null> {
  const name = `${kind} ${id}`
  const found = kept.get(name) ?? signal<unknown>(null)
  kept.set(name, found)
  return found as Signal<T | null>
}

/** What the page that is shown needs. Counts are in the header of every page. */
export function useLive({ topics = [], tasks = [], jobs = [], limits = [] }: Interest): void {
  const query = { topics: ["counts", ...topics].join(","), tasks: tasks.join(","), jobs: jobs.join(","), limits: limits.join(",") }
  const path = pathOf("events", query)
  useEffect(() => {
    if (wanted === path) return
    wanted = path
    restart()
  }, [path])
}

/** Also when there is another token. */
export function followLive(): void {
  token.subscribe(() => {
    for (const one of kept.values()) one.value = null
    restart()
  })
}

function restart(): void {
  stop()
  if (wanted === "") return
  const ended = new AbortController()
  let cancel: Cancel = () => {}
  stop = () => {
    ended.abort()
    cancel()
  }
  const follow = async (attempt: number) => {
    const heard = { any: false }
    const why = await listen(wanted, ended.signal, heard).catch((error: unknown) => reasonOf(error))
    if (ended.signal.aborted || isTokenWanted.value) return
    connection.value = { state: "lost", why }
    const next = heard.any ? 0 : attempt + 1
    const waitMs = Math.min(longestMs, shortestMs * 2 ** next) * (0.5 + chance() / 2)
    cancel = after(waitMs, () => void follow(next))
  }
  void follow(0)
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? messageOf(error) : "The server cannot be reached."
}

/** Resolves with the reason when the stream has ended. */
async function listen(path: string, signal: AbortSignal, heard: { any: boolean }): Promise<string> {
  const silent = new AbortController()
  const response = await answered(path, { method: "GET", signal: AbortSignal.any([signal, silent.signal]) })
  if (!response.body) return "The server sent no stream."
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const reader = new EventReader()
  let watch = after(silentMs, () => silent.abort())
  try {
    for (;;) {
      const { value, done } = await pieces.read()
      if (done) return "The server has ended the stream."
      watch()
      watch = after(silentMs, () => silent.abort())
      heard.any = true
      if (!signal.aborted) connection.value = { state: "live" }
      tick()
      for (const event of reader.read(value)) keep(event)
    }
  } finally {
    watch()
  }
}

const named = new Set(["task", "job", "gates"])

function keep({ event, data }: StreamEvent): void {
  const document: unknown = JSON.parse(data)
  if (!named.has(event)) latest(event).value = document
  else {
    const { id, value } = document as { id: string; value: unknown }
    latest(event, id).value = value
  }
}

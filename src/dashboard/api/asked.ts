// What is asked for once and again when something has changed, for what no stream tells: pages of lists, explanations, histories.

import { useEffect, useRef, useState } from "preact/hooks"
import { after, type Cancel } from "../browser.ts"
import { get, messageOf, type Query } from "./client.ts"
import { tick } from "./clock.ts"
import { isTokenWanted, token } from "./token.ts"

export interface Asked<T> {
  readonly value: T | null
  /** In words, where the last attempt failed. */
  readonly error: string | null
  readonly isLoading: boolean
  readonly again: () => void
}

interface Answer<T> {
  readonly value: T | null
  readonly error: string | null
}

/** No more often than this, however much changes. */
const restMs = 1_000

class Asking<T> {
  private readonly ask: (signal: AbortSignal) => Promise<T>
  private readonly tell: (answer: Answer<T>) => void
  private readonly over = new AbortController()
  private isBusy = false
  private isStale = false
  private last: T | null = null
  private cancel: Cancel = () => {}

  constructor(ask: (signal: AbortSignal) => Promise<T>, tell: (answer: Answer<T>) => void) {
    this.ask = ask
    this.tell = tell
  }

  async refresh(): Promise<void> {
    this.isStale = this.isBusy
    if (this.isBusy) return
    this.isBusy = true
    const answer = await this.ask(this.over.signal).then(
      (value) => ({ value, error: null }),
      (error: unknown) => ({ value: this.last, error: messageOf(error) }),
    )
    if (this.over.signal.aborted) return
    this.last = answer.value
    tick()
    this.tell(answer)
    this.cancel = after(restMs, () => {
      this.isBusy = false
      if (this.isStale || answer.error !== null) void this.refresh()
    })
  }

  end(): void {
    this.over.abort()
    this.cancel()
  }
}

/** `stamp`: while it changes, the answer may. `path` null: nothing is asked. */
export function useAsked<T>(path: string | null, query: Query = {}, stamp: unknown = null): Asked<T> {
  const [answer, setAnswer] = useState<(Answer<T> & { readonly name: string }) | null>(null)
  const asking = useRef<Asking<T> | null>(null)
  const stamped = useRef(stamp)
  const name = `${path} ${JSON.stringify(query)} ${token.value} ${isTokenWanted.value}`
  // The name says what is asked, and of whom.
  useEffect(() => {
    if (path === null || isTokenWanted.value) return
    const one = new Asking<T>(
      (signal) => get<T>(path, query, signal),
      (found) => setAnswer({ ...found, name }),
    )
    asking.current = one
    stamped.current = stamp
    void one.refresh()
    return () => one.end()
  }, [name])
  useEffect(() => {
    if (stamped.current === stamp) return
    stamped.current = stamp
    void asking.current?.refresh()
  }, [stamp])
  const own = answer?.name === name ? answer : null
  return { value: own?.value ?? null, error: own?.error ?? null, isLoading: own === null, again: () => void asking.current?.refresh() }
}

// Starts the provider as a process of its own. It ends with `stop`, or with whoever has started it.

import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** At most so much within any window: of requests, or of the tokens that they say they cost. */
export interface ProviderLimit {
  readonly limit: number
  readonly windowMs: number
  /** Counted for the whole route, or for each key: /route/key/id. */
  readonly by?: "route" | "key"
  readonly unit?: "requests" | "tokens"
}

export interface Route {
  readonly limits?: readonly ProviderLimit[]
  readonly atOnce?: number
  readonly atOnceBy?: "route" | "key"
  /** What it says beside a 429: for how long, in one header or another, or nothing. */
  readonly says?: "retry-after" | "quota" | "nothing"
  readonly answerMs?: number
}

export interface SeenRoute {
  readonly requests: number
  /** Answered with 429. */
  readonly refused: number
  readonly mostAtOnce: number
  readonly mostInWindow: Readonly<Record<string, number>>
}

export interface Provider {
  readonly url: string
  seen(route: string): Promise<SeenRoute>
  stop(): Promise<void>
}

export async function startProvider(routes: Readonly<Record<string, Route>>): Promise<Provider> {
  const child = fork(fileURLToPath(new URL("./server.mjs", import.meta.url)), [JSON.stringify({ routes })], { execArgv: [] })
  const ended = once(child, "exit")
  const [url] = await Promise.race([
    once(child, "message") as Promise<[string]>,
    ended.then(() => Promise.reject(new Error("provider: expected it to listen, but it has ended"))),
  ])
  return {
    url,
    async seen(route) {
      const all = (await (await fetch(`${url}/_seen`)).json()) as Record<string, SeenRoute>
      const one = all[route]
      if (!one) throw new Error(`provider: expected one of its routes, ${Object.keys(all).join(", ")}, got ${route}`)
      return one
    },
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

// The other side of a test, on the test's own clock: what it was asked, and what it answers.

import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

export interface Answering {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | ReadableStream
  /** How long it takes. */
  readonly afterMs?: number
}

export type Script = Answering | null | ((path: string) => Answering | null)

export interface Asked {
  readonly path: string
  readonly init: RequestInit | undefined
  readonly atMs: number
}

export class OtherSide {
  readonly asked: Asked[] = []
  readonly world: VirtualWorld

  /** By path; or each request takes the next answer, and the last one again and again. Null is never answered. */
  constructor(...answers: readonly Script[]) {
    this.world = new VirtualWorld({
      fetch: (url, init) => {
        const path = new URL(url).pathname
        this.asked.push({ path, init, atMs: this.world.monotonicMs() })
        const answer = answers[Math.min(this.asked.length, answers.length) - 1] ?? null
        return this.answer(typeof answer === "function" ? answer(path) : answer, init?.signal)
      },
    })
  }

  get times(): number[] {
    return this.asked.map(({ atMs }) => atMs)
  }

  get paths(): string[] {
    return this.asked.map(({ path }) => path)
  }

  private answer(answer: Answering | null, signal: AbortSignal | null | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
      if (!answer) return
      const { status = 200, headers = {}, body = "{}", afterMs = 0 } = answer
      const respond = () => resolve(new Response(body, { status, headers }))
      if (afterMs === 0) respond()
      else this.world.timer(afterMs, respond)
    })
  }
}

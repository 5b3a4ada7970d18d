// The objects of one bucket as the log needs them: created once, read, listed, removed. What passes (a server that is busy, a line that
// breaks) is tried again here where trying again cannot do harm; a create whose outcome nobody knows is told as that.

import type { SluiceError } from "../../errors/index.ts"
import type { ServerClock } from "../../store/server-clock.ts"
import { sleep, systemWorld } from "../../world/index.ts"
import type { Asked, Client, Reply } from "./client.ts"
import { absent, closed, isPassing, LostReply, refused } from "./errors.ts"

/** `unknown`: it may be there, it may come to be there later, or not at all. `busy`: the server has refused to look at it. */
export type Created =
  | { readonly kind: "created" | "exists" | "busy"; readonly reply: Reply }
  | { readonly kind: "unknown"; readonly cause: unknown }

export interface Listed {
  readonly key: string
  readonly modifiedAtMs: number
  readonly bytes: number
}

export interface Listing {
  readonly objects: readonly Listed[]
  /** The server's time before anything was listed. */
  readonly dateMs: number
  readonly askedAtMs: number
}

const firstPauseMs = 50
const longestPauseMs = 2_000

export interface ObjectsOptions {
  readonly client: Client
  readonly clock: ServerClock
  readonly place: string
  readonly patienceMs: number
}

export class Objects {
  readonly place: string
  private readonly options: ObjectsOptions
  private isClosed = false

  constructor(options: ObjectsOptions) {
    this.options = options
    this.place = options.place
  }

  close(): void {
    this.isClosed = true
    this.options.client.close()
  }

  async create(key: string, body: Uint8Array): Promise<Created> {
    try {
      const reply = await this.send({ method: "PUT", key, body, headers: { "if-none-match": "*" } })
      if (reply.status === 200) return { kind: "created", reply }
      if (reply.status === 412) return { kind: "exists", reply }
      if (reply.status === 503 || reply.status === 429) return { kind: "busy", reply }
      // Some servers answer so to whoever has lost a race, some when they have stumbled behind the write.
      if (reply.status === 409 || reply.status >= 500) return { kind: "unknown", cause: refused(this.place, reply) }
      throw refused(this.place, reply)
    } catch (error) {
      if (error instanceof LostReply) return { kind: "unknown", cause: error }
      throw error
    }
  }

  /** An object whose name nobody else has. */
  async put(key: string, body: Uint8Array): Promise<Reply> {
    return this.settled({ method: "PUT", key, body }, [200])
  }

  /** Status 200, or 404 where there is none. */
  read(key: string): Promise<Reply> {
    return this.settled({ method: "GET", key }, [200, 404])
  }

  readPart(key: string, from: number, bytes: number): Promise<Reply> {
    return this.settled({ method: "GET", key, headers: { range: `bytes=${from}-${from + bytes - 1}` } }, [200, 206, 404])
  }

  async exists(key: string): Promise<boolean> {
    return (await this.settled({ method: "HEAD", key }, [200, 404])).status === 200
  }

  async remove(key: string): Promise<void> {
    await this.settled({ method: "DELETE", key }, [200, 204, 404])
  }

  async isVersioned(): Promise<boolean> {
    const reply = await this.settled({ method: "GET", key: "", query: { versioning: "" } }, [200, 403, 501])
    return reply.status === 200 && /<Status>\s*Enabled/i.test(Buffer.from(reply.body).toString("utf8"))
  }

  /** All of them, in whatever order. */
  async list(prefix: string): Promise<Listing> {
    const objects: Listed[] = []
    const askedAtMs = systemWorld.monotonicMs()
    let dateMs: number | null = null
    for (let token: string | null = null; ; ) {
      const query = { "list-type": "2", prefix, ...(token === null ? {} : { "continuation-token": token }) }
      const reply = await this.settled({ method: "GET", key: "", query }, [200])
      dateMs ??= reply.dateMs
      const text = Buffer.from(reply.body).toString("utf8")
      for (const [, part = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const modifiedAtMs = Date.parse(tag(part, "LastModified"))
        objects.push({ key: unescaped(tag(part, "Key")), modifiedAtMs, bytes: Number(tag(part, "Size")) })
      }
      if (tag(text, "IsTruncated") !== "true") return { objects, dateMs: dateMs ?? systemWorld.wallMs(), askedAtMs }
      token = unescaped(tag(text, "NextContinuationToken"))
    }
  }

  /** Asks until there is an answer, or for too long. */
  private async settled(asked: Asked, expected: readonly number[]): Promise<Reply> {
    const untilMs = systemWorld.monotonicMs() + this.options.patienceMs
    for (let tries = 0; ; tries++) {
      let failure: SluiceError
      try {
        const reply = await this.send(asked)
        if (expected.includes(reply.status) && !isMissingBucket(reply)) return reply
        failure = refused(this.place, reply)
        if (!isPassing(reply) && reply.status !== 409) throw failure
      } catch (error) {
        if (!(error instanceof LostReply)) throw error
        failure = absent(this.place, error)
        if (!failure.retryable) throw failure
      }
      if (systemWorld.monotonicMs() >= untilMs) throw failure
      await pause(tries)
    }
  }

  private async send(asked: Asked): Promise<Reply> {
    if (this.isClosed) throw closed(this.place)
    const reply = await this.options.client.send(asked)
    const { dateMs, sentAtMs, receivedAtMs } = reply
    if (dateMs !== null) this.options.clock.hear({ atMs: dateMs, sentAtMs, receivedAtMs })
    return reply
  }
}

/** Full jitter: those who were refused together do not come back together. */
export function pause(tries: number): Promise<void> {
  return sleep(systemWorld, systemWorld.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 10)))
}

function isMissingBucket({ status, body }: Reply): boolean {
  return status === 404 && Buffer.from(body).includes("NoSuchBucket")
}

function tag(text: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ""
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? "")
}

// Requests to one bucket: signed, bounded in time, one at a time each. What an answer means is said by whoever asked; only a line that
// broke is told here, as LostReply. The network is real whatever clock the queue is tested with: so are deadlines and signatures.

import { type HttpAnswer, type HttpAsked, HttpLine } from "../../world/http-line.ts"
import { systemWorld, type World } from "../../world/index.ts"
import { LostReply } from "./errors.ts"
import { type Credentials, encodePart, sign } from "./sign.ts"

export interface Reply {
  readonly status: number
  readonly headers: HttpAnswer["headers"]
  readonly body: Uint8Array
  /** The server's own time, whole seconds; null where it told none. */
  readonly dateMs: number | null
  /** On this process's monotonic clock. */
  readonly sentAtMs: number
  readonly receivedAtMs: number
}

export interface Asked {
  readonly method: "GET" | "PUT" | "HEAD" | "DELETE"
  /** Within the bucket; "" for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface ClientOptions {
  readonly world: World
  readonly bucket: string
  /** Null: AWS. */
  readonly endpoint: string | null
  readonly region: string
  readonly credentials: () => Promise<Credentials>
  /** For one request. */
  readonly deadlineMs: number
}

/** A machine's clock may be wrong by more than what servers accept: from then on it is the server's time that is signed. */
const clockTrustedMs = 60_000

export class Client {
  /** How many requests were sent, by method. */
  readonly sent: Record<string, number> = { GET: 0, PUT: 0, HEAD: 0, DELETE: 0, LIST: 0 }
  bytesSent = 0
  bytesReceived = 0
  private readonly options: ClientOptions
  readonly base: string
  private skewMs = 0
  private readonly underWay = new Set<AbortController>()
  private isClosed = false
  private readonly line = new HttpLine()

  constructor(options: ClientOptions) {
    this.options = options
    const { endpoint, bucket, region } = options
    const isHostName = endpoint === null && !bucket.includes(".")
    this.base = isHostName
      ? `https://${bucket}.s3.${region}.amazonaws.com/`
      : `${endpoint ?? `https://s3.${region}.amazonaws.com`}/${bucket}/`
  }

  async send(asked: Asked): Promise<Reply> {
    const { skewMs } = this
    const reply = await this.sendOnce(asked)
    const isSkewed = reply.status === 403 && this.skewMs !== skewMs && Buffer.from(reply.body).includes("RequestTimeTooSkewed")
    return isSkewed ? this.sendOnce(asked) : reply
  }

  /** What is under way is lost. */
  close(): void {
    this.isClosed = true
    for (const ending of this.underWay) ending.abort(new Error("closed"))
    this.line.close()
  }

  private async sendOnce({ method, key, query, headers, body }: Asked): Promise<Reply> {
    const url = new URL(this.base + key.split("/").map(encodePart).join("/"))
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const { region, deadlineMs, credentials } = this.options
    const atMs = systemWorld.wallMs() + this.skewMs
    const signature = sign({ method, url, body: body ?? null, region, atMs }, await credentials())
    const verb = query && "list-type" in query ? "LIST" : method
    this.sent[verb] = (this.sent[verb] ?? 0) + 1
    this.bytesSent += body?.length ?? 0
    const ending = new AbortController()
    const timer = systemWorld.timer(deadlineMs, () => ending.abort(new Error(`no answer within ${deadlineMs} ms`)))
    if (this.isClosed) ending.abort(new Error("closed"))
    this.underWay.add(ending)
    const sentAtMs = systemWorld.monotonicMs()
    try {
      const whole = { method, headers: { ...headers, ...signature }, body: body ?? null, signal: ending.signal }
      const answer = await this.answerTo(url, whole)
      this.bytesReceived += answer.body.length
      return { ...answer, dateMs: this.date(answer), sentAtMs }
    } catch (error) {
      throw new LostReply((error as Error).message, { cause: error })
    } finally {
      this.underWay.delete(ending)
      timer.cancel()
    }
  }

  /** A network that was handed in has its own way. */
  private async answerTo(url: URL, asked: HttpAsked): Promise<HttpAnswer> {
    const { world } = this.options
    if (world.fetch === systemWorld.fetch) return this.line.send(url, asked)
    const { method, headers, body, signal } = asked
    const init: RequestInit = { method, headers: { ...headers }, redirect: "manual", signal }
    const response = await world.fetch(url, body ? { ...init, body: body as Uint8Array<ArrayBuffer> } : init)
    const receivedAtMs = systemWorld.monotonicMs()
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()), receivedAtMs }
  }

  private date({ headers }: HttpAnswer): number | null {
    const dateMs = Date.parse(headers.get("date") ?? "")
    if (Number.isNaN(dateMs)) return null
    const aheadMs = dateMs - systemWorld.wallMs()
    this.skewMs = Math.abs(aheadMs) > clockTrustedMs ? aheadMs : 0
    return dateMs
  }
}

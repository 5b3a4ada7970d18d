// One step is one command: the operation, what is known of the data's epoch, the clock and the request go in; the answer and the rows of
// its tasks come out. A step that is refused before it began (a text that the server has forgotten, a slot that has moved) is sent
// again; one whose answer was lost is not: whoever asked repeats it with the same ids and numbers.

import { cut, type ErrorCode, errorTable, isSluiceError, plain, SluiceError } from "../../errors/index.ts"
import type { World } from "../../world/index.ts"
import { Answers } from "./answers.ts"
import { isUnsent, refusalOf, translate } from "./errors.ts"
import { Invoker } from "./invoke.ts"
import type { Link } from "./link.ts"
import { toWire } from "./request.ts"
import { toTask } from "./row.ts"
import type { Script } from "./script-text.ts"

/** A slot that moves on and on is given up on. */
const mostRefusals = 5
/** Of a message from the server. */
const mostCharacters = 1_000

export interface StepsOptions {
  readonly place: string
  readonly namespace: string
  /** What all of its keys begin with. */
  readonly base: string
  readonly link: Link
  readonly script: Script
  readonly world: World
  /** The store's time is the server's; a world that was handed in has its own. */
  readonly hasOwnClock: boolean
}

export class Steps {
  private readonly options: StepsOptions
  private readonly answers: Answers
  private epoch = ""
  private seenAtMs = 0
  private readonly invoker: Invoker

  constructor(options: StepsOptions) {
    this.options = options
    this.answers = new Answers(options.script.shapes)
    this.invoker = new Invoker(options.script)
  }

  /** Finds the data, or begins it with this epoch. */
  async open(epoch: string): Promise<{ readonly version: number }> {
    const found = (await this.run("open", () => ({ epoch }))) as { epoch: string; version: number }
    this.epoch = found.epoch
    await this.invoker.dropOthers(await this.options.link.ready())
    return found
  }

  /**
   * `request` is made when it is sent, and told how long it has waited until then. `sent`, where it is given, tells those who wait here that
   * they may ask behind it: they need not be told again by the server (news.ts).
   */
  async run(operation: string, request: (waitedMs: number) => unknown, sent?: () => void): Promise<unknown> {
    const { link, world, place, base } = this.options
    const askedAtMs = world.monotonicMs()
    for (let refusals = 0; ; refusals++) {
      // Sent in the same turn where it can be: whoever closes the store next is not before it.
      const client = link.current ?? (await link.ready())
      try {
        const values = () => this.values(operation, toWire(operation, request(world.monotonicMs() - askedAtMs)), sent ? client.id : "")
        return this.read(operation, await this.invoker.invoke(client, base, values, sent))
      } catch (error) {
        const word = isUnsent(error) ? "UNSENT" : refusalOf(error)
        // One that cannot write here stays so until another is primary, or the name leads elsewhere: that may take long.
        if (word === "MOVED" || word === "READONLY") link.renew(client)
        const isAgain = word === "MOVED" || word === "UNSENT"
        if (!isAgain || refusals >= mostRefusals) throw translate(error, place)
      }
    }
  }

  private values(operation: string, request: string, sender: string): readonly string[] {
    const { world, hasOwnClock } = this.options
    return [operation, this.epoch, hasOwnClock ? String(world.wallMs()) : "", request, sender]
  }

  private read(operation: string, reply: unknown): unknown {
    const parts = reply as readonly Buffer[]
    const [kind, text, message] = parts
    if (String(kind) === "lost") throw this.lost()
    if (String(kind) !== "ok") throw this.failed(String(text), String(message))
    this.seenAtMs = this.options.world.wallMs()
    try {
      return this.answers.restore(operation, JSON.parse(String(text)), (row) => {
        const at = 2 + 3 * row
        return toTask(String(parts[at]), parts[at + 1] as Buffer, parts[at + 2] as Buffer)
      })
    } catch (error) {
      // The answer has come, and is not one: that is no matter of the connection.
      if (isSluiceError(error)) throw this.failed(error.code, error.message)
      throw this.failed("store_damaged", `expected an answer to "${operation}", got what cannot be read (${(error as Error).message})`)
    }
  }

  private failed(code: string, message: string): SluiceError {
    const known = Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "store_damaged"
    return new SluiceError(known, `${this.options.place}: ${cut(plain(message), mostCharacters)}`)
  }

  private lost(): SluiceError {
    const { place, namespace } = this.options
    return new SluiceError(
      "data_lost",
      `${place}: expected the data of namespace "${namespace}", last seen at ${new Date(this.seenAtMs).toISOString()}, but it is gone: ` +
        "somebody has flushed the server, or it has started again without it. Restore a backup, or connect again to begin anew",
    )
  }
}

/** What all keys of a namespace begin with; its braces keep them in one slot of a cluster. */
export function baseOf(prefix: string, namespace: string): string {
  return `${prefix}:{${namespace}}:`
}

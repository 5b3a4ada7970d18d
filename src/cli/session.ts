// What every command shares: the global options, the way to the queue, and how results and mistakes are told.

import { errorTable, isSluiceError } from "../errors/index.ts"
import { type ConnectOptions, connect, type Queue, queueDefaults } from "../queue/index.ts"
import { maskPassword, parseName } from "../units/index.ts"
import { type Paint, paintFor } from "./colour.ts"
import type { Io } from "./io.ts"
import { jsonLine } from "./json-line.ts"
import { oneLine, plain } from "./plain.ts"

export const defaultStore = "sqlite:./sluice.db"

/** As commander gives them: what was not on the command line is absent. */
export interface GlobalOptions {
  readonly store?: string
  readonly namespace?: string
  readonly json?: boolean
}

export class Session {
  readonly io: Io
  readonly paint: Paint
  /** As typed. */
  readonly argv: readonly string[]
  exitCode = 0
  private globals: GlobalOptions = {}

  constructor(io: Io, argv: readonly string[] = []) {
    this.io = io
    this.argv = argv
    this.paint = paintFor(io, io.stdout)
  }

  begin(globals: GlobalOptions): void {
    this.globals = globals
  }

  get isJson(): boolean {
    return this.globals.json === true
  }

  /** An empty variable counts as none, as everywhere in a shell. */
  get storeUrl(): string {
    return this.globals.store ?? (this.io.env.SLUICE_STORE || defaultStore)
  }

  get namespace(): string {
    if (this.globals.namespace !== undefined) return parseName("--namespace", this.globals.namespace)
    return parseName("SLUICE_NAMESPACE", this.io.env.SLUICE_NAMESPACE || queueDefaults.namespace)
  }

  /** Where this session looks, for people to read. */
  get place(): string {
    return plain(`namespace "${this.namespace}" of ${maskPassword(this.storeUrl)}`)
  }

  async withQueue(use: (queue: Queue) => Promise<void>, options: Pick<ConnectOptions, "maxInputBytes"> = {}): Promise<void> {
    const queue = await connect(this.storeUrl, { ...options, namespace: this.namespace, world: this.io.world })
    try {
      await use(queue)
    } finally {
      await queue.close()
    }
  }

  print(...lines: readonly string[]): void {
    for (const line of lines) this.io.stdout.write(`${line}\n`)
  }

  printJson(value: unknown): void {
    this.print(jsonLine(value))
  }

  /** For people who read along; a script that reads stdout does not see it. */
  note(line: string): void {
    this.io.stderr.write(`${line}\n`)
  }

  /** One line on stderr. The first failure gives the exit code. */
  fail(error: unknown): void {
    const known = isSluiceError(error)
    const exitCode = known ? errorTable[error.code].exitCode : 1
    const message = error instanceof Error ? error.message || error.name : String(error)
    const where = known && (error.code === "not_found" || error.code === "unknown_limit") ? `; looked in ${this.place}` : ""
    this.note(oneLine(`sluice: ${known ? message + where : `unexpected: ${message} (SLUICE_DEBUG=1 shows where)`}`))
    if (this.io.env.SLUICE_DEBUG === "1" && error instanceof Error) this.note(error.stack ?? "")
    if (this.exitCode === 0) this.exitCode = exitCode
  }
}

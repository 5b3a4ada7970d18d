// What every command shares: the global options, the way to the queue, and how results and mistakes are told.

import type { Command } from "commander"
import { errorTable, isSluiceError, SluiceError } from "../errors/index.ts"
import { type ConnectOptions, connect, type Queue, queueDefaults } from "../queue/index.ts"
import { maskPassword, parseName } from "../units/index.ts"
import { type Paint, paintFor } from "./colour.ts"
import { applySettings } from "./config/apply.ts"
import { type Layers, readLayers } from "./config/layers.ts"
import { defaultStore } from "./default-store.ts"
import { pathOf } from "./define.ts"
import type { Io } from "./io.ts"
import { jsonLine } from "./json-line.ts"
import { oneLine, plain } from "./plain.ts"

/** They say what is wrong with settings, or need none. */
const withoutSettings: ReadonlySet<string> = new Set(["config check", "init", "completion"])

/** As commander gives them: what was not on the command line is absent. */
export interface GlobalOptions {
  readonly store?: string
  readonly namespace?: string
  readonly json?: boolean
  readonly config?: string
}

export class Session {
  readonly io: Io
  readonly paint: Paint
  /** As typed. */
  readonly argv: readonly string[]
  exitCode = 0
  private globals: GlobalOptions = {}
  private layers: Layers | null = null

  constructor(io: Io, argv: readonly string[] = []) {
    this.io = io
    this.argv = argv
    this.paint = paintFor(io, io.stdout)
  }

  /** Once it is known which command runs, and before it does. */
  async begin(command: Command): Promise<void> {
    this.globals = command.optsWithGlobals<GlobalOptions>()
    if (withoutSettings.has(pathOf(command))) return
    const layers = await readLayers(this.io, this.configFlag)
    this.layers = layers
    if (layers.problems.length > 0)
      throw new SluiceError("invalid_option", `${layers.problems.join("; ")}; sluice config check shows what is set`)
    applySettings(command, this.io, layers)
  }

  /** As it was before files added to it: for a process that reads them itself. */
  get givenEnv(): Io["env"] {
    return this.layers?.environment ?? this.io.env
  }

  get configFlag(): string | undefined {
    return this.globals.config
  }

  /** What was on the command line, if it was. */
  typed(option: "store" | "namespace"): string | undefined {
    return this.globals[option]
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

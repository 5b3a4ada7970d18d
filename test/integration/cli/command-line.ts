// The command line under test: in this process, with a world, an environment and outputs of the test's own, on a memory
// store that all calls of one CommandLine share.

import type { Io, Output, Signal } from "../../../src/cli/io.ts"
import { main } from "../../../src/cli/run.ts"
import { connect, type Queue } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import type { World } from "../../../src/world/index.ts"

export interface Said {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Of stdout, without the end. */
  readonly lines: readonly string[]
  json(): unknown
}

export interface CommandLineOptions {
  readonly world?: World
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** The width of a terminal that looks at stdout. */
  readonly columns?: number
}

let made = 0

export class CommandLine {
  readonly storeUrl = `memory:cli-${made++}`
  readonly world: World
  private readonly options: CommandLineOptions
  private readonly signalListeners = new Set<(signal: Signal) => void>()
  private readonly keyListeners = new Set<(key: string) => void>()
  private readonly uncaughtListeners = new Set<(error: unknown) => void>()
  /** Called with everything that is written, as it is written. */
  onOutput: (text: string) => void = () => {}

  constructor(options: CommandLineOptions = {}) {
    this.options = options
    this.world = options.world ?? new VirtualWorld()
  }

  queue(): Promise<Queue> {
    return connect(this.storeUrl, { world: this.world, namespace: "default" })
  }

  async sluice(...argv: readonly string[]): Promise<Said> {
    const written = { stdout: "", stderr: "" }
    const output = (name: "stdout" | "stderr"): Output => ({
      write: (text) => {
        written[name] += text
        this.onOutput(text)
      },
      isTTY: this.options.columns !== undefined,
      columns: this.options.columns ?? null,
      rows: this.options.columns === undefined ? null : 30,
    })
    const env: Record<string, string> = { SLUICE_STORE: this.storeUrl, SLUICE_LOG: "text", ...this.options.env }
    const io: Io = {
      stdout: output("stdout"),
      stderr: output("stderr"),
      stdin: async () => this.options.stdin ?? "",
      env,
      setEnv: (name, value) => {
        env[name] = value
      },
      cwd: this.options.cwd ?? process.cwd(),
      world: this.world,
      onSignal: (listener) => listen(this.signalListeners, listener),
      onKey: (listener) => listen(this.keyListeners, listener),
      onResize: () => () => {},
      onUncaught: (listener) => listen(this.uncaughtListeners, listener),
    }
    const exitCode = await main(argv, io)
    return { exitCode, ...written, lines: written.stdout.trimEnd().split("\n"), json: () => JSON.parse(written.stdout) as unknown }
  }

  /** Submits with these options and gives the id. */
  async submit(...argv: readonly string[]): Promise<string> {
    const said = await this.sluice("submit", ...argv)
    if (said.exitCode !== 0) throw new Error(`submit ended with ${said.exitCode}: ${said.stderr}`)
    return said.lines[0] ?? ""
  }

  /** As a process that has the code says it: tasks of these types pass no gates. */
  async declare(...types: readonly string[]): Promise<void> {
    const { store } = await this.queue()
    await store.hello({ workerId: null, types: types.map((type) => ({ type, limits: [] })), limits: [] })
  }

  press(key: string): void {
    for (const listener of [...this.keyListeners]) listener(key)
  }

  signal(signal: Signal): void {
    for (const listener of [...this.signalListeners]) listener(signal)
  }

  uncaught(error: unknown): void {
    for (const listener of [...this.uncaughtListeners]) listener(error)
  }

  get isListening(): boolean {
    return this.signalListeners.size + this.uncaughtListeners.size > 0
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

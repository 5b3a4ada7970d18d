// What the command line has of the outside: where it writes, what it reads, its environment, clock and signals. A value
// that is handed in, so that tests run every command in their own process.

import type { World } from "../world/index.ts"

export interface Output {
  write(text: string): void
  readonly isTTY: boolean
  /** The width of the terminal; null where there is none. */
  readonly columns: number | null
  /** And its height. */
  readonly rows: number | null
}

export type Signal = "SIGINT" | "SIGTERM"

export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: () => Promise<string>
  readonly env: Readonly<Record<string, string | undefined>>
  /** For this process and those that it starts. */
  readonly setEnv: (name: string, value: string) => void
  readonly cwd: string
  readonly world: World
  /** Until the function that comes back is called, these signals do not end the process. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void
  /** Until the function that comes back is called, keys are told as they are pressed, and not shown. */
  readonly onKey: (listener: (key: string) => void) => () => void
  /** Until the function that comes back is called, it is told when the terminal has another size. */
  readonly onResize: (listener: () => void) => () => void
  /** Until the function that comes back is called, an error that nobody caught does not end the process. */
  readonly onUncaught: (listener: (error: unknown) => void) => () => void
}

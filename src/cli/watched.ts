// `sluice work --watch`: the worker as a process of its own, stopped gently and started anew whenever code beside its module changes. What
// a process has loaded stays as it is, so a new process it is.
//
//   working ──a file changes──▶ draining ──its process has ended──▶ working, with the new code
//   working ──its process ends by itself──▶ waiting ──a file changes──▶ working
//   any ──a signal──▶ stopping ──its process has ended──▶ done, with its exit code

import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, watch } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Timer } from "../world/index.ts"
import type { Session } from "./session.ts"

/** Editors write a file in several steps. */
const settleMs = 100
/** More than anybody has beside his tasks; what lies deeper is not watched. */
const mostFolders = 500
const program = fileURLToPath(new URL("./main.js", import.meta.url))

export class Watched {
  private readonly session: Session
  private child: ChildProcess | null = null
  private settling: Timer | null = null
  private hasChanged = false
  private isStopping = false
  private wake: () => void = () => {}

  constructor(session: Session) {
    this.session = session
  }

  /** Until a signal ends it. Gives the exit code of the last process. */
  async run(module: string): Promise<number> {
    const { io } = this.session
    const letGo = io.onSignal((signal) => this.stop(signal))
    const watchers = foldersFrom(dirname(module)).map((folder) => watch(folder, (_event, name) => this.noticed(name)))
    try {
      for (;;) {
        const exitCode = await this.work()
        if (!this.hasChanged && !this.isStopping) {
          this.session.note(`watch: the worker has ended with ${exitCode}; waiting for a change`)
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        }
        if (this.isStopping) return exitCode
        this.hasChanged = false
      }
    } finally {
      letGo()
      this.settling?.cancel()
      for (const watcher of watchers) watcher.close()
    }
  }

  private work(): Promise<number> {
    const { io, argv } = this.session
    const args = argv.filter((word) => word !== "--watch")
    const child = spawn(process.execPath, [program, ...args], { stdio: "inherit", cwd: io.cwd, env: { ...this.session.givenEnv } })
    this.child = child
    return new Promise((resolve, reject) => {
      child.once("error", reject)
      child.once("exit", (exitCode) => {
        this.child = null
        resolve(exitCode ?? 1)
      })
    })
  }

  private noticed(name: string | null): void {
    if (name === null || !/\.([cm]?[jt]sx?|json)$/.test(name)) return
    this.settling?.cancel()
    this.settling = this.session.io.world.timer(settleMs, () => {
      this.session.note(`watch: ${name} has changed`)
      this.hasChanged = true
      this.child?.kill("SIGTERM")
      this.wake()
    })
  }

  private stop(signal: "SIGINT" | "SIGTERM"): void {
    this.isStopping = true
    // A terminal tells the whole group by itself: told twice, the worker would give up what runs.
    if (signal === "SIGTERM" || !this.session.io.stdout.isTTY) this.child?.kill(signal)
    this.wake()
  }
}

/** The folder and those below it, without what others have written. */
function foldersFrom(folder: string): readonly string[] {
  const found = [folder]
  for (const at of found) {
    const inner = readdirSync(at, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    found.push(...inner.slice(0, mostFolders - found.length).map(({ name }) => join(at, name)))
  }
  return found
}

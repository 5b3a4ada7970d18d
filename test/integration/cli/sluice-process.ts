// `sluice` as a process of its own, on a database in a folder of the test's own. Tests wait for lines and for the end, never
// for time.

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository: compiled tests run in .build/test/integration/cli. */
export const root = fileURLToPath(new URL("../../../../", import.meta.url))
const program = fileURLToPath(new URL("../../../src/cli/main.js", import.meta.url))

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export class SluiceProcess {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  private stdout = ""
  private stderr = ""
  private look: () => void = () => {}
  private isEnded = false

  constructor(folder: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}, output?: number) {
    const { SLUICE_STORE: _store, SLUICE_NAMESPACE: _namespace, ...inherited } = process.env
    this.child = spawn(process.execPath, [program, ...argv], {
      cwd: folder,
      env: { ...inherited, SLUICE_LOG: "text", ...env },
      stdio: ["ignore", output ?? "pipe", "pipe"],
    })
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text
      this.look()
    })
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text
      this.look()
    })
    this.ended = once(this.child, "close").then(([exitCode]) => {
      this.isEnded = true
      this.look()
      return { exitCode: exitCode as number | null, stdout: this.stdout, stderr: this.stderr }
    })
  }

  /** Resolves with the first match in what was written so far, or will be. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      this.look = () => {
        const match = pattern.exec(this.stdout + this.stderr)
        if (match) resolve(match)
        else if (this.isEnded) reject(new Error(`ended without saying ${pattern}:\n${this.stdout}${this.stderr}`))
      }
      this.look()
    })
  }
}

/** A folder that is removed by `remove`, after whatever was started in it has ended. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "sluice-cli-"))
  private readonly started: SluiceProcess[] = []

  start(...argv: readonly string[]): SluiceProcess {
    return this.startWith({}, argv)
  }

  /** `output`: a file that stdout goes to instead. */
  startWith(env: Readonly<Record<string, string>>, argv: readonly string[], output?: number): SluiceProcess {
    const started = new SluiceProcess(this.folder, argv, env, output)
    this.started.push(started)
    return started
  }

  sluice(...argv: readonly string[]): Promise<Ended> {
    return this.start(...argv).ended
  }

  async remove(): Promise<void> {
    for (const { child, ended } of this.started) {
      if (child.exitCode === null) child.kill("SIGKILL")
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

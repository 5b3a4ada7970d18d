// A server under guard: it ends when this process does, whichever way that ends, and then leaves no files behind.

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { serverUser } from "./postgres-user.ts"

export interface Guarded {
  /** What it has said on its way up. */
  readonly said: string
  /** Asks it to end at once where it still runs, and resolves when it is gone. Its files stay. */
  end(): Promise<void>
}

export interface Guard {
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  readonly pidFile: string
  readonly ready: RegExp
  /** What ends it at once. */
  readonly signal: "QUIT" | "KILL"
  /** Who names a folder removes it. */
  readonly isOurs: boolean
}

const endedText = "sluice: the server has ended"

/**
 * Its input says what to do: a word, or nothing when whoever started it has ended, be it by SIGKILL. The server's number comes from its
 * file; where that is not written yet, the server has only just begun.
 */
const script = `
folder=$1 pidFile=$2 signal=$3; shift 3
("$@" </dev/null; echo "${endedText}") &
read -r word
if [ "$word" != ended ]; then
  [ -s "$pidFile" ] || sleep 1
  pid=$(head -n 1 "$pidFile" 2>/dev/null) && kill -"$signal" "$pid" 2>/dev/null
fi
wait
if [ -z "$word" ] && [ -n "$folder" ]; then rm -rf "$folder" 2>/dev/null; fi
`

/** What it has said, where it has ended instead. */
export async function startGuarded({ command, folder, pidFile, ready, signal, isOurs }: Guard): Promise<Guarded | string> {
  const child = spawn("sh", ["-c", script, "sh", isOurs ? folder : "", pidFile, signal, ...command], {
    // Apart from the group of whoever starts it: what ends that group at once would leave the files.
    ...{ cwd: folder, detached: true, stdio: ["pipe", "pipe", "pipe"] },
    ...serverUser(),
  })
  let said = ""
  let isEnded = false
  const isReady = await new Promise<boolean>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said = (said + chunk).slice(-8_192)
      if (said.includes(endedText)) isEnded = true
      if (isEnded) resolve(false)
      else if (ready.test(said)) resolve(true)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    // Its input may break when it ends first.
    child.stdin?.on("error", () => {})
    child.once("error", reject)
    child.once("exit", () => resolve(false))
  })
  const end = () => ending(child, isEnded ? "ended" : "quit")
  if (!isReady) {
    await end()
    return said
  }
  // It holds nobody back from ending.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref()
  return { said, end }
}

async function ending(child: ChildProcess, word: "ended" | "quit"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const ended = once(child, "exit")
  child.stdin?.end(`${word}\n`)
  await ended
}

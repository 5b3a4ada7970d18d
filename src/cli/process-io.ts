// The real process as an Io. A reader that goes away (`sluice list | head`) is no error: what it would have read is dropped,
// and the command ends as it would have. What cannot be written for another reason, a full disk say, is dropped too, and told once.

import { text } from "node:stream/consumers"
import { systemWorld } from "../world/index.ts"
import type { Io, Output, Signal } from "./io.ts"

const signals: readonly Signal[] = ["SIGINT", "SIGTERM"]

export const processIo: Io = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  stdin: () => text(process.stdin),
  env: process.env,
  setEnv: (name, value) => {
    process.env[name] = value
  },
  cwd: process.cwd(),
  world: systemWorld,
  onSignal: (listener) => {
    for (const signal of signals) process.on(signal, listener)
    return () => {
      for (const signal of signals) process.off(signal, listener)
    }
  },
  onKey: (listener) => {
    const { stdin } = process
    if (!stdin.isTTY) return () => {}
    const hear = (chunk: Buffer) => listener(chunk.toString("utf8"))
    stdin.setRawMode(true)
    stdin.on("data", hear)
    return () => {
      stdin.off("data", hear)
      stdin.setRawMode(false)
      stdin.pause()
    }
  },
  onResize: (listener) => {
    process.stdout.on("resize", listener)
    return () => void process.stdout.off("resize", listener)
  },
  // A rejection that nobody handles arrives here as well.
  onUncaught: (listener) => {
    process.on("uncaughtException", listener)
    return () => void process.off("uncaughtException", listener)
  },
}

/** Resolves when everything written has left the process: a pipe takes its time. */
export async function flush(): Promise<void> {
  const written = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write("", () => resolve()))
  await Promise.all([written(process.stdout), written(process.stderr)])
}

let hasLostOutput = false

/** Of a command that has done what it was to do, but could not say so: whoever reads a file of it has to know. */
export function exitCodeAfter(exitCode: number): number {
  return exitCode === 0 && hasLostOutput ? 1 : exitCode
}

function outputTo(stream: NodeJS.WriteStream): Output {
  let isGone = false
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!isGone && error.code !== "EPIPE") {
      hasLostOutput = true
      if (stream === process.stdout) processIo.stderr.write(`sluice: expected to write what it says, but ${error.message}\n`)
    }
    isGone = true
  })
  return {
    write: (chunk) => {
      if (!isGone) stream.write(chunk)
    },
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? stream.columns : null
    },
    get rows() {
      return stream.isTTY ? stream.rows : null
    },
  }
}

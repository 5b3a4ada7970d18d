// The processes of a run: started with one JSON argument, spoken to in messages that have a `kind`, and all ended with the run,
// those of a run that takes too long included.
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

class Child {
  constructor(script, argument) {
    const path = fileURLToPath(new URL(script, import.meta.url))
    this.name = script
    this.process = fork(path, [JSON.stringify(argument)], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
    this.exited = once(this.process, "exit")
  }

  get isLive() {
    return this.process.exitCode === null && this.process.signalCode === null
  }

  send(message) {
    this.process.send(message)
  }

  /** The next message of this kind. A process that ends instead is an error. */
  next(kind) {
    return new Promise((resolve, reject) => {
      const ended = (code, signal) => done(reject, new Error(`${this.name}: expected "${kind}", but it ended with ${signal ?? code}`))
      const told = (message) => message.kind === kind && done(resolve, message)
      const done = (settle, value) => {
        this.process.off("message", told).off("exit", ended)
        settle(value)
      }
      this.process.on("message", told).on("exit", ended)
      if (!this.isLive) ended(this.process.exitCode, this.process.signalCode)
    })
  }

  async kill() {
    this.process.kill("SIGKILL")
    await this.exited
  }
}

/** Runs `run` with a way to start processes; when it ends, or after `longestMs`, none of them is left. */
export async function withChildren(longestMs, run) {
  const children = []
  let watchdog
  const late = new Promise((_, reject) => {
    watchdog = setTimeout(() => reject(new Error(`expected the run to end within ${longestMs / 1_000} s; ended its processes`)), longestMs)
  })
  const start = (script, argument) => {
    const child = new Child(script, argument)
    children.push(child)
    return child
  }
  try {
    return await Promise.race([run(start), late])
  } finally {
    clearTimeout(watchdog)
    await Promise.all(children.filter(({ isLive }) => isLive).map((child) => child.kill()))
  }
}

// How the server is told to run a step: as a function, where it has those (7.0 and newer), else as a script. A script is made anew with all
// of its parts for each call, a function once: 60 µs against 340 for the least step. The server is given the text when it says that it
// does not know it, which it says before anything was done.

import type { Argument, Client } from "./driver.ts"
import { isDenied, refusalOf } from "./errors.ts"
import { lookOf, ourLibraries, type Script } from "./script-text.ts"

/** Given, forgotten and given again: beyond this something else is wrong. */
const mostTries = 5

export class Invoker {
  private readonly script: Script
  private isFunction = true
  private readonly loading = new Map<string, Promise<unknown>>()

  constructor(script: Script) {
    this.script = script
  }

  /** `values` is asked for each time that the step is sent: what waits grows older. `sent` is told of each time. */
  async invoke(client: Client, base: string, values: () => readonly string[], sent?: () => void): Promise<unknown> {
    const { name, sha, text } = this.script
    let called = name
    for (let tries = 1; ; tries++) {
      const head = this.isFunction ? ["FCALL", called] : ["EVALSHA", sha]
      try {
        const answer = client.send([...head, "1", base, ...values()])
        sent?.()
        return await answer
      } catch (error) {
        const missing = missingBy(error)
        const isOver = missing === "room" && (!this.isFunction || called !== name)
        if (missing === null || isOver || tries === mostTries) throw error
        if (missing === "room") called = lookOf(name)
        if (missing === "function") await this.loadFunction(client)
        if (missing === "functions") this.isFunction = false
        if (missing === "script") await this.load(client, ["SCRIPT", "LOAD", text])
      }
    }
  }

  private async loadFunction(client: Client): Promise<void> {
    try {
      await this.load(client, ["FUNCTION", "LOAD", this.script.library])
    } catch (error) {
      // Another was quicker: its name has the hash of the text.
      if (/already exists/.test(String((error as Error).message))) return
      if (!isDenied(error) && !isUnknown(error)) throw error
      this.isFunction = false
    }
  }

  /**
   * Those of other versions go: each is as large as this one, and nobody else removes them. Whoever still runs one is told that it is
   * missing and gives it to the server again, without removing anything, so that two versions beside each other do not chase each other.
   */
  async dropOthers(client: Client): Promise<void> {
    if (!this.isFunction) return
    try {
      const libraries = (await client.send(["FUNCTION", "LIST", "LIBRARYNAME", ourLibraries])) as readonly (readonly unknown[])[]
      const others = libraries.map(([, name]) => String(name)).filter((name) => name !== this.script.name)
      for (const name of others) await client.send(["FUNCTION", "DELETE", name])
    } catch (error) {
      // Not for this user, or another has removed it at the same moment.
      if (!isDenied(error) && !isUnknown(error) && !/Library not found/.test(String((error as Error).message))) throw error
    }
  }

  /** Once for all who have found it missing. */
  private async load(client: Client, command: readonly [string, string, string]): Promise<void> {
    const [what] = command
    const loading = this.loading.get(what) ?? client.send(command as readonly Argument[])
    this.loading.set(what, loading)
    try {
      await loading
    } finally {
      if (this.loading.get(what) === loading) this.loading.delete(what)
    }
  }
}

/**
 * What was missing, so that nothing was done: the function, the script, or functions at all. `room`: at its maxmemory the server runs no
 * function but one that says that it may, which is there for those who only look.
 */
function missingBy(error: unknown): "function" | "script" | "functions" | "room" | null {
  const message = String((error as Error).message)
  if (/^ERR Function not found/.test(message)) return "function"
  if (refusalOf(error) === "NOSCRIPT") return "script"
  if (refusalOf(error) === "OOM") return "room"
  return (isUnknown(error) && /FCALL/i.test(message)) || /run the 'fcall' command/i.test(message) ? "functions" : null
}

function isUnknown(error: unknown): boolean {
  return /unknown (?:command|subcommand)/i.test(String((error as Error).message))
}

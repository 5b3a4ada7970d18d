// The processes of a run, by pid: started, killed, stopped and continued here, and nowhere else. None outlives the run: those that
// are left are killed when the fleet ends or the process that has it exits, and they end by themselves when it is gone.

import { type ChildProcess, fork, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { FromChild, ToChild } from "./child.ts"

export type Role = "worker" | "submitter"

export class Member {
  readonly name: string
  readonly role: Role
  readonly eventFile: string
  readonly exited: Promise<void>
  readonly startedAtMs = Date.now()
  isReady = false
  isPaused = false
  /** Why it is to end: then another takes its place. */
  ending: "killed" | "told" | null = null
  isGone = false
  private readonly process: ChildProcess

  constructor(name: string, role: Role, eventFile: string, process: ChildProcess) {
    this.name = name
    this.role = role
    this.eventFile = eventFile
    this.process = process
    this.exited = new Promise((resolve) => process.once("exit", () => resolve()))
  }

  get isEnding(): boolean {
    return this.ending !== null
  }

  /** From now on it ends by itself, and well. */
  tellToStop(): void {
    this.ending = "told"
    this.tell({ kind: "stop" })
  }

  tell(message: ToChild): void {
    if (this.process.connected) this.process.send(message, () => {})
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    if (!this.isGone) this.process.kill(signal)
  }

  /**
   * Stopped and continued from outside: whoever has the store open can itself be held up by a process that was stopped at the wrong
   * moment, and could then not continue it.
   */
  async pauseFor(ms: number): Promise<void> {
    const { pid } = this.process
    const outside = spawn("sh", ["-c", `kill -STOP ${pid} && sleep ${ms / 1_000}; kill -CONT ${pid}`], { stdio: "ignore" })
    await new Promise((resolve) => outside.once("close", resolve))
  }
}

export interface FleetNews {
  ready(member: Member): void
  said(member: Member, message: FromChild): void
  gone(member: Member): void
  /** It ended though nobody had asked for it, or not as it was asked to. */
  failed(member: Member, how: string): void
}

export class Fleet {
  private readonly folder: string
  private readonly news: FleetNews
  private readonly errors: number
  private readonly live = new Set<Member>()
  private made = 0
  private readonly killAll = () => {
    for (const member of this.live) member.signal("SIGKILL")
  }

  constructor(folder: string, news: FleetNews) {
    this.folder = folder
    this.news = news
    this.errors = openSync(join(folder, "children.err"), "a", 0o600)
    process.on("exit", this.killAll)
  }

  get members(): readonly Member[] {
    return [...this.live]
  }

  of(role: Role): readonly Member[] {
    return this.members.filter((member) => member.role === role && !member.isEnding)
  }

  /** `settings` is told the name that the process has from now on, which no other ever had. */
  start(role: Role, settings: (name: string, eventFile: string) => object): Member {
    const name = `${role}-${++this.made}`
    const eventFile = join(this.folder, `${name}.jsonl`)
    const script = fileURLToPath(new URL(`./${role}-process.js`, import.meta.url))
    const child = fork(script, [JSON.stringify(settings(name, eventFile))], { stdio: ["ignore", this.errors, this.errors, "ipc"] })
    const member = new Member(name, role, eventFile, child)
    this.live.add(member)
    child.on("message", (message: FromChild) => this.hear(member, message))
    child.on("error", (error) => this.news.failed(member, error.message))
    child.on("exit", (code, signal) => this.ended(member, signal ?? `exit code ${code}`))
    return member
  }

  async kill(member: Member): Promise<void> {
    member.ending = "killed"
    member.signal("SIGKILL")
    await member.exited
  }

  /** Tells all to stop, and kills those that do not within the time: that is a failure. */
  async stopAll(withinMs: number): Promise<void> {
    const members = this.members
    for (const member of members) member.tellToStop()
    const timer = setTimeout(this.killAll, withinMs)
    await Promise.all(members.map(({ exited }) => exited))
    clearTimeout(timer)
  }

  /** Kills whoever is left. */
  async end(): Promise<void> {
    await Promise.all(this.members.map((member) => this.kill(member)))
    process.off("exit", this.killAll)
    closeSync(this.errors)
  }

  private hear(member: Member, message: FromChild): void {
    if (message.kind === "ready") {
      member.isReady = true
      this.news.ready(member)
    } else this.news.said(member, message)
  }

  private ended(member: Member, how: string): void {
    member.isGone = true
    this.live.delete(member)
    if (member.ending === null || (member.ending === "told" && how !== "exit code 0")) this.news.failed(member, how)
    this.news.gone(member)
  }
}

// What a server loses that has said yes: it is killed again and again while tasks are submitted and settled, and afterwards asked for
// everything that it has acknowledged since it was last looked at.
//
// A kill ends the process. What it had written is kept by the system, synced to the disk or not; what a machine loses that goes down
// is not seen here.

import { setTimeout as sleep } from "node:timers/promises"
import { connect, defineTask, isSluiceError, type Queue } from "../../src/index.ts"
import type { Dice } from "../../src/testing/dice.ts"
import type { Store, Violation } from "../../src/testing/index.ts"
import { diceFor } from "./dice-for.ts"
import type { ChaosStore, Keeping } from "./stores/index.ts"

export interface LossOptions extends Keeping {
  /** How often it is killed. */
  readonly restarts: number
  readonly seed: number
}

export interface LossResult {
  readonly durationMs: number
  readonly kills: number
  /** Acknowledged, and not there afterwards. */
  readonly submits: Counted
  /** Acknowledged, and undone afterwards. */
  readonly settles: Counted
  /** Kills after which something was missing. */
  readonly killsWithLoss: number
  readonly mostByOneKill: number
  /** How long before its kill the oldest of them had been acknowledged. */
  readonly oldestMs: number
  /** Kills after which nothing at all was left, and the store has said so. */
  readonly vanished: number
  readonly report: { readonly violations: readonly Violation[] }
}

interface Counted {
  readonly acknowledged: number
  readonly lost: number
}

/** When each id was acknowledged. */
type Acks = Map<string, number>
interface Round {
  readonly submitted: Acks
  readonly settled: Acks
  isOver: boolean
}

const roundMs = [150, 600] as const
const submitters = 8
const batch = 5
const tellEvery = 20
const task = defineTask("lost-or-not", { run: (_: number) => {} })

export async function losses(options: LossOptions, store: ChaosStore, tell: (line: string) => void): Promise<LossResult> {
  const { restart, url } = store
  if (restart === null) throw new Error("losses: expected a store with a server, which can be killed")
  const startedAtMs = Date.now()
  const dice = diceFor(options.seed, "losses")
  const sum = { submits: { acknowledged: 0, lost: 0 }, settles: { acknowledged: 0, lost: 0 }, killsWithLoss: 0, vanished: 0 }
  const worst = { mostByOneKill: 0, oldestMs: 0 }
  // What vanishes with everything else is counted too.
  let known: string[] = []
  let queue = await connect(url)
  for (let kill = 1; kill <= options.restarts; kill++) {
    const { submitted, settled, killedAtMs } = await killedUnder(queue, restart, dice)
    sum.submits.acknowledged += submitted.size
    sum.settles.acknowledged += settled.size
    known.push(...submitted.keys())
    const found = await whatIsLeft(queue.store, submitted, settled)
    if (found === "nothing") {
      sum.vanished++
      await queue.close()
      queue = await connect(url)
    }
    const missing = found === "nothing" ? known : found.missing
    const undone = found === "nothing" ? [...settled.keys()] : found.undone
    if (found === "nothing") known = []
    sum.submits.lost += missing.length
    sum.settles.lost += undone.length
    const lost = new Set([...missing, ...undone]).size
    if (lost > 0) sum.killsWithLoss++
    const ages =
      found === "nothing" ? [] : [...missing, ...undone].map((id) => killedAtMs - (settled.get(id) ?? submitted.get(id) ?? killedAtMs))
    worst.mostByOneKill = Math.max(worst.mostByOneKill, lost)
    worst.oldestMs = Math.max(worst.oldestMs, ...ages)
    if (kill % tellEvery === 0) tell(`${kill} kills: ${sum.submits.acknowledged} acknowledged, ${sum.submits.lost} lost`)
  }
  await queue.close()
  const violations = isSafe(options) && sum.killsWithLoss > 0 ? [lostAnyway] : []
  return { durationMs: Date.now() - startedAtMs, kills: options.restarts, ...sum, ...worst, report: { violations } }
}

const lostAnyway: Violation = { kind: "lost", about: "the server", message: "it has lost what it had acknowledged, though it syncs always" }

export const isSafe = ({ appendonly, appendfsync }: Keeping) => appendonly && appendfsync === "always"

async function killedUnder(queue: Queue, restart: () => Promise<void>, dice: Dice): Promise<Round & { readonly killedAtMs: number }> {
  const round: Round = { submitted: new Map(), settled: new Map(), isOver: false }
  const work = [...Array.from({ length: submitters }, () => submitting(queue, round)), settling(queue.store, round, dice)]
  await sleep(dice.between(...roundMs))
  const killedAtMs = Date.now()
  const again = restart()
  // Whoever asks while it is away gets no answer, and asks no more.
  round.isOver = true
  await Promise.all([again, ...work])
  return { ...round, killedAtMs }
}

async function submitting(queue: Queue, round: Round): Promise<void> {
  while (!round.isOver) {
    const tasks = await answered(() =>
      queue.submitMany(
        task,
        Array.from({ length: batch }, (_, i) => i),
      ),
    )
    for (const { id } of tasks ?? []) round.submitted.set(id, Date.now())
  }
}

/** Claims what there is, and settles it with the next claim. */
async function settling(store: Store, round: Round, dice: Dice): Promise<void> {
  const none = { spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }
  const outcome = { kind: "completed", output: "1" } as const
  let held: readonly { readonly id: string; readonly fence: number }[] = []
  let number = Date.now() * 1_000
  const workerId = `loss-${dice.between(0, 1e9)}`
  while (!round.isOver) {
    const settles = held.map(({ id, fence }) => ({ id, fence, outcome, ...none }))
    const claim = { number: ++number, max: 100, types: [{ type: task.type, room: 100 }] }
    const answer = await answered(() => store.exchange({ workerId, leaseMs: 60_000, settles, heartbeats: [], claim }))
    for (const [i, { kind }] of (answer?.settled ?? []).entries()) if (kind === "ok") round.settled.set(settles[i]?.id ?? "", Date.now())
    held = answer?.claimed ?? []
  }
}

async function answered<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (isSluiceError(error) && (error.retryable || error.code === "data_lost")) return null
    throw error
  }
}

interface Left {
  readonly missing: readonly string[]
  readonly undone: readonly string[]
}

async function whatIsLeft(store: Store, submitted: Acks, settled: Acks): Promise<Left | "nothing"> {
  const ids = [...new Set([...submitted.keys(), ...settled.keys()])]
  const found: Left & { missing: string[]; undone: string[] } = { missing: [], undone: [] }
  for (let from = 0; from < ids.length; ) {
    const some = ids.slice(from, from + 500)
    try {
      const { tasks } = await store.get({ ids: some })
      for (const [i, id] of some.entries()) {
        if (!tasks[i]) found.missing.push(id)
        else if (settled.has(id) && tasks[i].status !== "completed") found.undone.push(id)
      }
      from += some.length
    } catch (error) {
      if (isSluiceError(error) && error.code === "data_lost") return "nothing"
      if (!isSluiceError(error) || !error.retryable) throw error
      await sleep(20)
    }
  }
  return found
}

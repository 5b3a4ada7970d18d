// The crash points: each call of the script, in each of the ways in which a process can be stopped at it. What a store holds right
// after is compared with what it holds at the same place of a run that nobody disturbs; then the work is finished and judged.

import { rejects } from "node:assert/strict"
import type { Store } from "../../src/store/index.ts"
import type { OpenBacking } from "../../src/testing/conformance/index.ts"
import { judge } from "./judge.ts"
import { type Call, ReplyLost, Stopped, shown, type Watch } from "./process.ts"
import { recover } from "./recovery.ts"
import { sameAnswer } from "./repeats.ts"
import { type Cast, play } from "./script.ts"
import { type Snapshot, sameSnapshot, takeSnapshot, withoutRepeats } from "./snapshot.ts"
import { otherName, Stage, victimName } from "./stage.ts"

export const modes = {
  before: "stopped before it",
  after: "stopped after it",
  unanswered: "stopped after it, the reply lost",
  repeated: "the reply lost, and asked again",
} as const
export type Mode = keyof typeof modes

/** A run that nobody disturbs: what the store holds before and after each call of the victim, and when all is done. */
export interface Undisturbed {
  readonly calls: readonly Call[]
  readonly before: readonly Snapshot[]
  readonly after: readonly Snapshot[]
  readonly end: Snapshot
}

export async function undisturbed(openBacking: OpenBacking): Promise<Undisturbed> {
  const [before, after]: [Snapshot[], Snapshot[]] = [[], []]
  const watched = ({ observer }: Place): Watch => ({
    async carry(_call, carryOut) {
      before.push(await takeSnapshot(observer))
      return carryOut()
    },
    async answered() {
      after.push(await takeSnapshot(observer))
    },
  })
  return onStage(openBacking, watched, async (place, cast) => {
    await play(cast)
    await finish(place, cast, "undisturbed")
    return { calls: cast.victim.calls, before, after, end: await takeSnapshot(place.observer) }
  })
}

/** Plays the script up to the call and stops the process there. What is left is as if the call never was, or as if it was once. */
export async function stopAt(
  openBacking: OpenBacking,
  known: Undisturbed,
  { number }: Call,
  mode: Exclude<Mode, "repeated">,
): Promise<void> {
  const message = messageOf(known, number, mode)
  const watched = (): Watch => ({
    async carry(call, carryOut) {
      if (call.number === number && mode === "before") throw new Stopped(message)
      const answer = await carryOut()
      if (call.number === number && mode === "unanswered") throw new Stopped(message)
      return answer
    },
    async answered(call) {
      if (call.number === number) throw new Stopped(message)
    },
  })
  await onStage(openBacking, watched, async (place, cast) => {
    await rejects(play(cast), Stopped)
    const expected = mode === "before" ? known.before : known.after
    sameSnapshot(await takeSnapshot(place.observer), expected[number - 1] as Snapshot, message)
    await finish(place, cast, message)
  })
}

/** Plays the whole script, but the answer to this one call is lost and the same is asked again. All comes out the same. */
export async function repeatAt(openBacking: OpenBacking, known: Undisturbed, { number }: Call): Promise<void> {
  const message = messageOf(known, number, "repeated")
  await onStage(openBacking, losingReply(known, number, message), async (place, cast) => {
    await play(cast)
    await finish(place, cast, message)
    sameSnapshot(withoutRepeats(await takeSnapshot(place.observer)), withoutRepeats(known.end), `${message}, in the end`)
  })
}

function losingReply(known: Undisturbed, number: number, message: string) {
  let lost: { readonly answer: unknown } | null = null
  return ({ stage, observer }: Place): Watch => ({
    async carry(call, carryOut) {
      const answer = await carryOut()
      if (call.number !== number) return answer
      if (lost) {
        sameAnswer(call, lost.answer, answer, message)
        return answer
      }
      lost = { answer }
      stage.write({ op: "fault", fault: "lost_reply", victim: victimName, untilMs: stage.world.wallMs() })
      throw new ReplyLost(message)
    },
    async answered(call) {
      // A permit is charged each time that it is asked for: safe, and the only call that is not the same as once.
      if (call.number !== number || call.operation === "permit") return
      const after = known.after[number - 1] as Snapshot
      sameSnapshot(withoutRepeats(await takeSnapshot(observer)), withoutRepeats(after), message)
    },
  })
}

interface Place {
  readonly stage: Stage
  /** A connection of nobody's: it only looks. */
  readonly observer: Store
}

async function onStage<T>(
  openBacking: OpenBacking,
  watched: (place: Place) => Watch,
  use: (place: Place, cast: Cast) => Promise<T>,
): Promise<T> {
  const stage = await Stage.open(openBacking)
  try {
    const place = { stage, observer: await stage.connect() }
    const victim = await stage.start(victimName, watched(place))
    return await use(place, { stage, victim, other: await stage.start(otherName) })
  } finally {
    await stage.close()
  }
}

/** The victim is gone, whatever it held; the other one lives, and works everything off. */
async function finish({ stage, observer }: Place, { other }: Cast, message: string): Promise<void> {
  stage.killed(victimName)
  await recover(stage, other, observer)
  await judge(stage.events, observer, message)
}

function messageOf({ calls }: Undisturbed, number: number, mode: Mode): string {
  return `${shown(calls[number - 1] as Call)}, ${modes[mode]}`
}

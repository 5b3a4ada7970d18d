// Plays the script on a SQLite file and keeps, for each call of the victim, what the files were after each of its statements.

import type { HistoryEvent } from "../../src/testing/index.ts"
import { sqliteAt } from "./places.ts"
import type { Call, Watch } from "./process.ts"
import { play } from "./script.ts"
import { contentOf, type Files, FilesInUse, isSame } from "./sqlite-files.ts"
import { openWatched } from "./sqlite-watched.ts"
import { otherName, Stage, victimName } from "./stage.ts"

/** Stands among the statements for the moment in which the process has its answer. */
export const theAnswer = "the answer"

/** A moment at which the process may have been stopped. Statements that leave the files as they were are one moment. */
export interface Moment {
  readonly files: Files
  /** After which it was so. */
  readonly statements: string[]
}

/** The statement that led to the moment, in short. */
export function shownMoment({ statements: [sql = "nothing"] }: Moment): string {
  return sql
    .replace(/^--.*$/gm, "")
    .trim()
    .replace(/\s+/g, " ")
    .slice(0, 60)
}

export interface CallStops {
  readonly call: Call
  readonly atMs: number
  /** The first is that before the call. */
  readonly moments: readonly [Moment, ...Moment[]]
  /** What had been written down when it was made. */
  readonly known: readonly HistoryEvent[]
  /** Every row before the call, and after it. */
  readonly before: string
  readonly after: string
}

/** What the files were at each statement. */
export class Moments {
  readonly all: [Moment, ...Moment[]]
  private readonly files: FilesInUse

  constructor(files: FilesInUse) {
    this.files = files
    this.all = [{ files: files.read(), statements: [] }]
  }

  add(statement: string): void {
    const last = this.all.at(-1) as Moment
    const seen = this.files.read()
    if (isSame(last.files, seen)) last.statements.push(statement)
    else this.all.push({ files: seen, statements: [statement] })
  }
}

export async function collectStops(path: string): Promise<readonly CallStops[]> {
  const stage = await Stage.open(async () => sqliteAt(path))
  // The file and its log are there once somebody has opened it.
  const other = await stage.start(otherName)
  const files = new FilesInUse(path)
  const stops: CallStops[] = []
  let moments: Moments | null = null
  const watch: Watch = {
    async carry(call, carryOut) {
      const [atMs, known, before] = [stage.world.wallMs(), [...stage.events], (await contentOf(path)).rows]
      const ofCall = new Moments(files)
      moments = ofCall
      const answer = await carryOut()
      ofCall.add(theAnswer)
      moments = null
      stops.push({ call, atMs, moments: ofCall.all, known, before, after: (await contentOf(path)).rows })
      return answer
    },
  }
  try {
    const store = await openWatched(path, stage.world, (sql, carryOut) => {
      const result = carryOut()
      moments?.add(sql)
      return result
    })
    await play({ stage, victim: stage.startOn(store, victimName, watch), other })
    return stops
  } finally {
    await stage.close()
    files.close()
  }
}

// The five stories as one live load: what each of them is about, what it submits, and which 429s it may have seen.

import type { AnyTask, Queue } from "sluice"
import * as crawler from "../crawler/load.ts"
import { fetchPage } from "../crawler/tasks.ts"
import * as discordRoles from "../discord-roles/load.ts"
import { addRole } from "../discord-roles/tasks.ts"
import * as ocr from "../ocr/load.ts"
import { assemble, readChunk } from "../ocr/tasks.ts"
import type { Route } from "../provider/start.ts"
import * as reminders from "../reminders/load.ts"
import { sendReminder } from "../reminders/tasks.ts"
import * as retryAfter from "../retry-after/load.ts"
import { fetchExport } from "../retry-after/tasks.ts"

export interface Story {
  readonly name: string
  readonly about: string
  /** The first is the one that the other side counts. */
  readonly tasks: readonly [AnyTask, ...AnyTask[]]
  readonly routes: Readonly<Record<string, Route>>
  /** The least time that the limits allow for one round. */
  readonly idealMs: number
  /** For each route whose limit was declared: the 429s of a round that others have caused. Any more are a limit that was exceeded. */
  readonly byOthers: Readonly<Record<string, number>>
  submit(queue: Queue, url: string, round: string): Promise<unknown>
}

export const stories: readonly Story[] = [
  {
    ...{ name: "retry-after", about: "exports that are not ready yet, from an API that says 429 and Retry-After" },
    ...{ tasks: [fetchExport], byOthers: {}, ...retryAfter },
  },
  {
    ...{ name: "reminders", about: "mails, 5 a second; what cannot be sent in time expires" },
    ...{ tasks: [sendReminder], byOthers: { mail: 0 }, ...reminders },
  },
  {
    ...{ name: "discord-roles", about: "role updates, 5 a second for each guild" },
    ...{ tasks: [addRole], byOthers: { guilds: 0 }, ...discordRoles },
  },
  {
    ...{ name: "ocr", about: "a document in 24 chunks, 5 at once and 20 a second; one chunk hangs" },
    ...{ tasks: [readChunk, assemble], byOthers: { ocr: 1 }, ...ocr },
    submit: (queue, url, round) => ocr.submit(queue, url, `report-${round}`),
  },
  {
    ...{ name: "crawler", about: "three sites, whose pace nobody has told; one of them is broken" },
    ...{ tasks: [fetchPage], byOthers: { fast: 0 }, ...crawler },
  },
]

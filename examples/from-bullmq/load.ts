// The other side: ten mails a second, which others use too, so that one is refused once. The work: mails, some of them submitted twice.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { sendMail } from "./tasks.ts"

export const perSecond = 10
export const routes = { mails: { limits: [{ limit: perSecond, windowMs: 1_000 }] } } satisfies Record<string, Route>

export const names = [
  "ada",
  "grace",
  "edsger",
  "barbara",
  "tony",
  "frances",
  "donald",
  "margaret",
  "john",
  "jean",
  "alan",
  "radia",
] as const

/** `addBulk` with a `jobId` for each: all or nothing, and the same key again gives back the first task. */
export async function submit(queue: Queue, url: string) {
  return queue.submitMany(
    sendMail,
    names.map((name, i) => ({ url: `${url}/mails/welcome/${name}${i === 0 ? "?refuse=1" : ""}` })),
    { each: ({ url }, i) => ({ idempotencyKey: `welcome ${url}`, ...(i > 8 ? { delay: "1s" } : {}) }) },
  )
}

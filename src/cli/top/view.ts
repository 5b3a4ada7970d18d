// What `sluice top` shows: the documents of the overview and of where tasks wait, from a server or made from a store.

import type { z } from "zod"
import { SluiceError } from "../../errors/index.ts"
import type { Overview } from "../../http/overview.ts"
import type { Sample } from "../../http/samples.ts"
import type { gateDocument } from "../../http/schemas.ts"
import type { Queue } from "../../queue/index.ts"
import type { Session } from "../session.ts"
import { tokenFrom } from "../token.ts"

export type Gate = z.output<typeof gateDocument>

export interface TopView {
  readonly overview: Overview
  /** Every ten seconds, oldest first. */
  readonly samples: readonly Sample[]
  readonly gates: readonly Gate[]
}

const mostGates = 50

interface Forecasts {
  readonly limits: readonly { readonly gates: readonly unknown[] }[]
}

function viewOf({ samples, ...overview }: Overview & { readonly samples: readonly Sample[] }, { limits }: Forecasts): TopView {
  const gates = limits.flatMap((limit) => limit.gates as readonly Gate[])
  return { overview, samples, gates: gates.toSorted((a, b) => b.waiting_tasks - a.waiting_tasks) }
}

/** `use` is given a function that looks anew each time. */
export async function withView(session: Session, use: (look: () => Promise<TopView>) => Promise<void>): Promise<void> {
  if (/^https?:/.test(session.storeUrl)) return use(await fromServer(session))
  await session.withQueue((queue) => fromStore(queue, use))
}

async function fromStore(queue: Queue, use: (look: () => Promise<TopView>) => Promise<void>): Promise<void> {
  // Loaded when it is asked for: other commands start without it.
  const [{ Watcher }, { forecastsOf }] = await Promise.all([import("../../http/watcher.ts"), import("../../http/forecasts.ts")])
  const watcher = new Watcher(queue, (document) => document)
  try {
    await use(async () => viewOf(await watcher.overview(), await forecastsOf(queue, mostGates)))
  } finally {
    watcher.close()
  }
}

/** It has an hour of samples already, and a token that may only look is enough. */
async function fromServer(session: Session): Promise<() => Promise<TopView>> {
  const { io, storeUrl, namespace } = session
  const token =
    (await tokenFrom(io, "", null, ["SLUICE_TOKEN_FILE", "SLUICE_TOKEN"])) ??
    (await tokenFrom(io, "", null, ["SLUICE_READ_TOKEN_FILE", "SLUICE_READ_TOKEN"]))
  const base = new URL(storeUrl)
  const get = async <T>(path: string): Promise<T> => {
    const url = new URL(`${base.pathname.replace(/\/*$/, "/")}api/v1/${path}`, base)
    const headers = { "sluice-namespace": namespace, ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
    const response = await io.world.fetch(url, { headers }).catch((cause: unknown) => {
      throw new SluiceError("store_unavailable", `server ${base.origin}: expected an answer, got none`, { cause })
    })
    const document = (await response.json().catch(() => null)) as (T & { error?: { message?: string } }) | null
    if (response.ok && document) return document
    const code = response.status === 401 ? "unauthorized" : "store_unavailable"
    throw new SluiceError(code, `server ${base.origin}: ${document?.error?.message ?? `expected an answer, got status ${response.status}`}`)
  }
  return async () => viewOf(await get("overview"), await get(`forecast?limit=${mostGates}`))
}

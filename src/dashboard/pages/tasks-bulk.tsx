// Many tasks at once: those that were chosen, or all that match the filter. The server takes a few hundred at a time; how far it is, is told.

import { send } from "../api/client.ts"
import type { BulkAnswer, Counts } from "../api/documents.ts"
import { askFor } from "../parts/dialog.tsx"
import { notify } from "../parts/notices.tsx"
import { countedText, countText } from "../text/number.ts"
import type { Filter } from "./tasks-filter.tsx"

type Move = "cancel" | "retry"

const words = {
  cancel: {
    verb: "Cancel",
    done: "cancelled",
    means: "Those that wait end at once; those that run are asked to stop.",
    statuses: ["pending", "running"],
  },
  retry: {
    verb: "Retry",
    done: "run again",
    means: "Failed and cancelled tasks are put back to the queue, with a new set of attempts.",
    statuses: ["failed", "cancelled"],
  },
} as const

export interface BulkProps {
  readonly chosen: readonly string[]
  readonly filter: Filter
  readonly counts: Counts | null
  readonly done: () => void
  readonly clear: () => void
}

export function BulkActions({ chosen, filter, counts, done, clear }: BulkProps) {
  const isChosen = chosen.length > 0
  const ask = (move: Move) => (isChosen ? askChosen(move, chosen, done, clear) : askAll(move, filter, counts, done))
  const offered = (["cancel", "retry"] as const).filter(
    (move) => filter.status === undefined || (words[move].statuses as readonly string[]).includes(filter.status),
  )
  return (
    <div class="bulk">
      <span class="muted" role="status">
        {isChosen ? `${countText(chosen.length)} chosen` : "None chosen"}
      </span>
      {offered.map((move) => (
        <button key={move} type="button" onClick={() => ask(move)}>
          {words[move].verb} {isChosen ? countText(chosen.length) : "all that match"}
        </button>
      ))}
      {isChosen ? (
        <button type="button" class="link" onClick={clear}>
          Choose none
        </button>
      ) : null}
    </div>
  )
}

function askChosen(move: Move, ids: readonly string[], done: () => void, clear: () => void): void {
  const { verb, means } = words[move]
  askFor({
    title: `${verb} ${countedText(ids.length, "task")}?`,
    text: means,
    verb: `${verb} ${countText(ids.length)}`,
    isDanger: move === "cancel",
    async run() {
      const { changed, results } = await send<BulkAnswer>("POST", `tasks/${move}`, { ids })
      tell(move, changed, results.length - changed)
      clear()
      done()
    },
  })
}

function askAll(move: Move, filter: Filter, counts: Counts | null, done: () => void): void {
  const { verb, means } = words[move]
  askFor({
    title: `${verb} all that match?`,
    text: (
      <>
        <p>{scopeText(move, filter, counts)}</p>
        <p>{means}</p>
      </>
    ),
    verb: `${verb} all`,
    isDanger: true,
    async run(_values, told) {
      let cursor: string | undefined
      let changed = 0
      let unchanged = 0
      do {
        const answer: BulkAnswer = await send("POST", `tasks/${move}`, { filter, ...(cursor === undefined ? {} : { cursor }) })
        changed += answer.changed
        unchanged += answer.results.length - answer.changed
        cursor = answer.cursor ?? undefined
        told(`${countedText(changed, "task")} ${words[move].done} so far.`)
      } while (cursor !== undefined)
      tell(move, changed, unchanged)
      done()
    },
  })
}

/** Counters know statuses, not tags and jobs. */
function scopeText(move: Move, { status, ...others }: Filter, counts: Counts | null): string {
  const meant = status === undefined ? words[move].statuses : [status]
  const by = Object.entries(others).map(([name, value]) => `${name.replace("task_", "")} ${value}`)
  if (by.length > 0) return `Every ${meant.join(" or ")} task of ${by.join(" and ")}.`
  const total = counts === null ? null : meant.reduce((sum, one) => sum + (counts[one as keyof Counts] ?? 0), 0)
  return `Every ${meant.join(" or ")} task${total === null ? "" : `: ${countText(total)} now`}.`
}

function tell(move: Move, changed: number, unchanged: number): void {
  const rest = unchanged === 0 ? "" : `, ${countText(unchanged)} could not be any more`
  notify(`${countedText(changed, "task")} ${words[move].done}${rest}.`)
}

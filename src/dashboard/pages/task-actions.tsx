// What can be done to a task, as its status allows.

import { segment, send } from "../api/client.ts"
import type { Status, TaskDocument } from "../api/documents.ts"
import { mayChange } from "../api/session.ts"
import { askFor } from "../parts/dialog.tsx"
import { notify } from "../parts/notices.tsx"

interface Action {
  readonly word: string
  readonly path: string
  readonly of: readonly Status[]
  readonly text: string
  readonly done: string
  readonly isDanger: boolean
}

const actions: readonly Action[] = [
  {
    word: "Cancel",
    path: "cancel",
    of: ["pending", "running"],
    text: "One that waits ends at once; one that runs is asked to stop.",
    done: "cancelled",
    isDanger: true,
  },
  {
    word: "Retry",
    path: "retry",
    of: ["failed", "cancelled"],
    text: "It is put back to the queue, with a new set of attempts.",
    done: "put back to the queue",
    isDanger: false,
  },
  {
    word: "Archive",
    path: "archive",
    of: ["completed", "failed", "cancelled", "expired"],
    text: "It is put away, beyond the reach of retention.",
    done: "archived",
    isDanger: false,
  },
]

export function TaskActions({ task }: { readonly task: TaskDocument }) {
  if (!mayChange.value) return null
  return (
    <>
      {actions
        .filter(({ of }) => of.includes(task.status))
        .map((action) => (
          <button key={action.word} type="button" onClick={() => ask(action, task)}>
            {action.word}
          </button>
        ))}
    </>
  )
}

function ask({ word, path, text, done, isDanger }: Action, { id, task_type: type }: TaskDocument): void {
  askFor({
    title: `${word} this task?`,
    text: (
      <>
        <p>{text}</p>
        <p class="mono breaks">
          {type} {id}
        </p>
      </>
    ),
    verb: word,
    isDanger,
    async run() {
      await send("POST", `tasks/${segment(id)}/${path}`)
      notify(`${type}: ${done}.`)
    },
  })
}

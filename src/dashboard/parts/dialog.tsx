// Every change is asked for once more, and told in the server's words where it is refused. One dialog for the whole page: the browser keeps
// the focus inside, closes it with Escape and gives the focus back.

import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { messageOf } from "../api/client.ts"

export interface Field {
  readonly name: string
  readonly label: string
  readonly initial: string
  readonly hint?: string
  readonly isRequired?: boolean
}

export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly fields?: readonly Field[]
  /** What the button does: "Pause". */
  readonly verb: string
  readonly isDanger?: boolean
  /** Throws what is to be told. */
  run(values: Readonly<Record<string, string>>, told: (progress: string) => void): Promise<void>
}

const asked = signal<Question | null>(null)

export function askFor(question: Question): void {
  asked.value = question
}

export function Dialogs() {
  const question = asked.value
  return question === null ? null : <QuestionDialog key={question.title} question={question} />
}

function QuestionDialog({ question }: { readonly question: Question }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<string | null>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const isBusy = progress !== null
  useEffect(() => dialog.current?.showModal(), [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    const values = Object.fromEntries((question.fields ?? []).map(({ name }) => [name, String(given.get(name) ?? "").trim()]))
    setError(null)
    setProgress("")
    try {
      await question.run(values, setProgress)
      dialog.current?.close()
    } catch (thrown) {
      setError(thrown instanceof RangeError ? thrown.message : messageOf(thrown))
      setProgress(null)
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={() => close(question)}>
      <form onSubmit={(event) => void submit(event)}>
        <h2 id="dialog-title">{question.title}</h2>
        <div class="dialog-text">{question.text}</div>
        {question.fields?.map((field) => (
          <FieldInput key={field.name} field={field} />
        ))}
        {error === null ? null : (
          <p class="alert" role="alert">
            {error}
          </p>
        )}
        <p class="note" role="status">
          {progress}
        </p>
        <div class="dialog-actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Leave it
          </button>
          <button type="submit" class={question.isDanger ? "danger" : "primary"} disabled={isBusy}>
            {question.verb}
          </button>
        </div>
      </form>
    </dialog>
  )
}

function FieldInput({ field }: { readonly field: Field }) {
  const { name, label, initial, hint, isRequired } = field
  const hintId = hint === undefined ? undefined : `hint-${name}`
  return (
    <p class="field">
      <label for={`field-${name}`}>{label}</label>
      <input
        id={`field-${name}`}
        name={name}
        type="text"
        defaultValue={initial}
        autocomplete="off"
        spellcheck={false}
        required={isRequired ?? false}
        aria-describedby={hintId}
      />
      {hint === undefined ? null : (
        <span id={hintId} class="hint">
          {hint}
        </span>
      )}
    </p>
  )
}

function close(question: Question): void {
  if (asked.value === question) asked.value = null
}

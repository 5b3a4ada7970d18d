// What is looked for: statuses with their counts, and a type, a tag, a job. It stands in the address, so that a view can be kept and sent.

import { useState } from "preact/hooks"
import { type Counts, statuses } from "../api/documents.ts"
import { Link } from "../parts/link.tsx"
import { replaceQuery } from "../route.ts"
import { countText } from "../text/number.ts"

const fields = [
  ["task_type", "Type", "call_api"],
  ["tag", "Tag", "tenant-7"],
  ["job", "Job", "its id"],
] as const

export type Filter = Readonly<Partial<Record<"status" | (typeof fields)[number][0], string>>>

export function filterOf(query: Readonly<Record<string, string>>): Filter {
  const names = ["status", ...fields.map(([name]) => name)]
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

export function TaskFilter({ filter, counts }: { readonly filter: Filter; readonly counts: Counts | null }) {
  const { status: _status, ...others } = filter
  return (
    <div class="filter">
      <ul class="chips" aria-label="Status">
        <li>
          <Link page="tasks" query={others} class={`chip-link ${filter.status === undefined ? "here" : ""}`}>
            all
          </Link>
        </li>
        {statuses.map((status) => (
          <li key={status}>
            <Link page="tasks" query={{ ...others, status }} class={`chip-link ${filter.status === status ? "here" : ""}`}>
              {status} <span class="chip-count">{counts === null ? "" : countText(counts[status])}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Fields key={JSON.stringify(filter)} filter={filter} />
    </div>
  )
}

function Fields({ filter }: { readonly filter: Filter }) {
  const [draft, setDraft] = useState<Filter>(filter)
  const isFiltered = fields.some(([name]) => filter[name] !== undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    replaceQuery(Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value.trim()])))
  }
  return (
    <form class="filter-fields" onSubmit={submit}>
      {fields.map(([name, label, example]) => (
        <label key={name}>
          {label}
          <input
            name={name}
            value={draft[name] ?? ""}
            placeholder={example}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit">Filter</button>
      {isFiltered ? (
        <button type="button" onClick={() => replaceQuery(filter.status === undefined ? {} : { status: filter.status })}>
          Clear
        </button>
      ) : null}
    </form>
  )
}

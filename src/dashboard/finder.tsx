// From an id to its page. "/" puts the cursor there.

import { useEffect, useRef, useState } from "preact/hooks"
import { ApiError, get, messageOf, segment } from "./api/client.ts"
import { Icon } from "./parts/icon.tsx"
import { notify } from "./parts/notices.tsx"
import { go } from "./route.ts"

export function Finder() {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState("")
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement
      if (event.key !== "/" || at.closest("input, textarea, select, dialog")) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener("keydown", focus)
    return () => removeEventListener("keydown", focus)
  }, [])
  const find = async (event: SubmitEvent) => {
    event.preventDefault()
    const id = text.trim()
    if (id === "") return
    const page = await pageOf(id).catch((error: unknown) => {
      notify(messageOf(error))
      return null
    })
    if (page === null) return
    setText("")
    go(page, id)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> is not known everywhere yet
    <form class="finder" role="search" onSubmit={(event) => void find(event)}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Find a task, a job or a limit by its id or name"
        placeholder="Find by id  ( / )"
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}

async function pageOf(id: string): Promise<"tasks" | "jobs" | "limits" | null> {
  for (const page of ["tasks", "jobs", "limits"] as const) {
    try {
      await get(`${page}/${segment(id)}`)
      return page
    } catch (error) {
      if (!(error instanceof ApiError) || error.httpStatus === 401 || error.httpStatus >= 429) throw error
    }
  }
  notify(`Expected the id of a task or a job, or the name of a limit: nothing is called "${id}".`)
  return null
}

// A status by its word and its shape; colour only underlines what needs somebody.

import type { Status } from "../api/documents.ts"
import { Icon } from "./icon.tsx"

const tones: Readonly<Record<Status, string>> = {
  pending: "quiet",
  running: "accent",
  completed: "good",
  failed: "bad",
  cancelled: "quiet",
  expired: "warn",
  archived: "quiet",
}

export function StatusMark({ status }: { readonly status: Status }) {
  return (
    <span class={`mark tone-${tones[status]}`}>
      <Icon name={status} />
      {status}
    </span>
  )
}

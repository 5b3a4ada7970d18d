// What has just been done, told once to everybody: a line at the edge, which readers of the screen speak.

import { signal } from "@preact/signals"
import { after } from "../browser.ts"

const shownMs = 6_000
const notices = signal<readonly { readonly number: number; readonly text: string }[]>([])
let number = 0

export function notify(text: string): void {
  const one = { number: ++number, text }
  notices.value = [...notices.value.slice(-2), one]
  after(shownMs, () => {
    notices.value = notices.value.filter((other) => other !== one)
  })
}

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ number: key, text }) => (
        <p key={key} class="notice">
          {text}
        </p>
      ))}
    </div>
  )
}

// What is around every page: where one is, where one can go, whether it is live, and how it looks.

import { useEffect, useRef } from "preact/hooks"
import { type PageName, pages } from "./address.ts"
import { connection } from "./api/live.ts"
import { session } from "./api/session.ts"
import { takeToken, token } from "./api/token.ts"
import { Finder } from "./finder.tsx"
import { Link } from "./parts/link.tsx"
import { address } from "./route.ts"
import { type Theme, takeTheme, theme, themes } from "./theme.ts"

const names: Readonly<Record<PageName, string>> = {
  overview: "Overview",
  limits: "Limits",
  tasks: "Tasks",
  jobs: "Jobs",
  schedules: "Schedules",
  workers: "Workers",
}

export function Header() {
  const place = session.value
  return (
    <header class="top">
      <div class="top-row">
        <a class="brand" href="#/">
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true" focusable="false">
            <path d="M4 10h24M4 16h11M4 22h11" />
            <path class="brand-gate" d="M20 4v15" />
            <path class="brand-drop" d="M20 26h8" />
          </svg>
          Sluice
        </a>
        {place === null ? null : (
          <span class="place" title={`namespace ${place.namespace} of a ${place.store} store`}>
            {place.namespace} <span class="muted">on {place.store}</span>
          </span>
        )}
        {place?.role === "read" ? <span class="chip">read only</span> : null}
        <Finder />
        <Connection />
        <ThemeChoice />
        {token.value === null ? null : (
          <button type="button" class="small" onClick={() => takeToken(null)}>
            Sign out
          </button>
        )}
      </div>
      <Pages />
    </header>
  )
}

/** Where one is can be seen also where not all of them have room. */
function Pages() {
  const here = address.value.page
  const nav = useRef<HTMLElement>(null)
  useEffect(() => nav.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [here])
  return (
    <nav aria-label="Pages" ref={nav}>
      {pages.map((page) => (
        <Link key={page} page={page} class={page === here ? "here" : ""}>
          {names[page]}
        </Link>
      ))}
    </nav>
  )
}

/** Spoken when it changes: who does not see it would otherwise read what is old. */
function Connection() {
  const now = connection.value
  const text = now.state === "live" ? "Live" : now.state === "connecting" ? "Connecting" : "Not connected"
  return (
    <span class={`connection connection-${now.state}`} role="status" title={now.state === "lost" ? now.why : undefined}>
      <span class="connection-dot" aria-hidden="true" />
      {text}
    </span>
  )
}

export function LostBanner() {
  const now = connection.value
  if (now.state !== "lost") return null
  return (
    <p class="alert banner" role="alert">
      Not connected: what you see may be old. {now.why} It is tried again by itself.
    </p>
  )
}

const themeNames: Readonly<Record<Theme, string>> = { auto: "Auto", light: "Light", dark: "Dark" }

function ThemeChoice() {
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select value={theme.value} onChange={(event) => takeTheme(themes.find((one) => one === event.currentTarget.value) ?? "auto")}>
        {themes.map((one) => (
          <option key={one} value={one}>
            {themeNames[one]}
          </option>
        ))}
      </select>
    </label>
  )
}

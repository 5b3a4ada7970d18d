// Light, dark, or as the system says.

import { signal } from "@preact/signals"
import { keptTheme } from "./browser.ts"

export const themes = ["auto", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export const theme = signal<Theme>(themes.find((one) => one === keptTheme.read()) ?? "auto")
const systemDark = matchMedia("(prefers-color-scheme: dark)")
/** Grows when colours have changed: charts are painted, not styled. */
export const painted = signal(0)

export function takeTheme(chosen: Theme): void {
  theme.value = chosen
  keptTheme.write(chosen === "auto" ? null : chosen)
}

export function followTheme(): void {
  theme.subscribe((chosen) => {
    if (chosen === "auto") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
    painted.value = painted.peek() + 1
  })
  systemDark.addEventListener("change", () => {
    painted.value++
  })
}

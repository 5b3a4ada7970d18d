// A real browser for the tests: found on this machine, or installed from the system's packages where that may be. Each test file has one
// of its own, which ends with it.

import { type Browser, chromium } from "playwright-core"
import { installed } from "./packages.ts"
import { findProgram } from "./programs.ts"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "Google Chrome", "Chromium"]
const applications = ["Google Chrome", "Chromium"].map((name) => `/Applications/${name}.app/Contents/MacOS`)
const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin", ...applications]
const wanted = { name: "Chromium", packages: ["chromium"], others: "or name one in SLUICE_TEST_CHROMIUM" }

export function findChromium(): string {
  const given = process.env.SLUICE_TEST_CHROMIUM
  return given || (look() ?? installed(wanted, look))
}

function look(): string | null {
  return findProgram(names, folders)
}

/** It asks nobody for updates, lists or models. */
const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
]

/** Root may not use its sandbox; what it opens here is our own. */
export function startChromium(): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : []
  return chromium.launch({ executablePath: findChromium(), args: [...quiet, ...sandbox] })
}

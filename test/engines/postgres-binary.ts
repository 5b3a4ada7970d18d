// Where Postgres is: the folder that has both the server and `initdb`, found by the path or in the usual places, the newest first; else
// installed from the system's packages where that may be.

import { readdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { installed } from "./packages.ts"
import { foldersOnPath, isProgram } from "./programs.ts"

/** Each has a folder a version. */
const versioned = [
  "/usr/lib/postgresql",
  "/usr/pgsql",
  "/opt/homebrew/opt",
  "/usr/local/opt",
  "/Applications/Postgres.app/Contents/Versions",
]
const plainFolders = ["/usr/local/pgsql/bin", "/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]
const wanted = {
  name: "a Postgres server",
  packages: ["postgresql"],
  others: "brew install postgresql (macOS), or name a running one in SLUICE_TEST_POSTGRES_URL for the tests that share one",
}

let found: string | null = null

export function findPostgres(): string {
  found ??= look() ?? installed(wanted, look)
  return found
}

function look(): string | null {
  return [...foldersOnPath().map(realFolder), ...versioned.flatMap(binFolders), ...plainFolders].find(isWhole) ?? null
}

/** On the path there may be no more than a link to the server. */
function realFolder(folder: string): string {
  try {
    return dirname(realpathSync(join(folder, "postgres")))
  } catch {
    return folder
  }
}

function binFolders(folder: string): readonly string[] {
  try {
    const versions = readdirSync(folder).sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    return versions.map((version) => join(folder, version, "bin"))
  } catch {
    return []
  }
}

function isWhole(folder: string): boolean {
  return isProgram(join(folder, "postgres")) && isProgram(join(folder, "initdb"))
}

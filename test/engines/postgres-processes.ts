// The processes of a server, to end them as a crash does: all at once, and none of them knows.

import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { sleep, systemWorld } from "../../src/world/index.ts"

/** Resolves when none is left. Those of Postgres have the folder of their data as their own. */
export async function killServer(data: string): Promise<void> {
  const postmaster = postmasterOf(data)
  if (postmaster !== null) kill(postmaster)
  for (;;) {
    const others = processesIn(data)
    for (const pid of others) kill(pid)
    if (others.length === 0 && (postmaster === null || !isAlive(postmaster))) return
    await sleep(systemWorld, 5)
  }
}

function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
    // The file may be an old one: its number may be somebody else's by now.
    return pid > 1 && (!hasProc || processesIn(data).includes(pid)) ? pid : null
  } catch {
    return null
  }
}

const hasProc = process.platform === "linux"

/** Where this cannot be asked, those that are left notice by themselves that the first of them is gone. */
function processesIn(data: string): readonly number[] {
  if (!hasProc) return []
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isPostgres(name, data))
    .map(Number)
}

function isPostgres(pid: string, data: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === data && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "postgres"
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    // One that has ended and that nobody has waited for is not alive.
    return hasProc ? !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8")) : process.kill(pid, 0)
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

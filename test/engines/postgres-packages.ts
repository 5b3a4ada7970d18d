// Programs of the tests' own that are not there yet: installed from the system's packages (Debian and Ubuntu, by root or by sudo without a
// password). SLUICE_NO_INSTALL=1 forbids it. Where it may not be, the tests fail, and say what to do.

import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where the program is, once its packages (names with spaces between) are there. */
export function installed(name: string, packageNames: string, look: () => string | null, others: string): string {
  const command = ["apt-get", "install", "-y", "--no-install-recommends", ...packageNames.split(" ")]
  const help = new Error(`expected ${name}, found none; install it: sudo ${command.join(" ")} (Debian, Ubuntu), ${others}`)
  if (process.env.SLUICE_NO_INSTALL === "1" || !works("apt-get", "--version")) throw help
  const isRoot = process.getuid?.() === 0
  if (!isRoot && !works("sudo", "-n", "true")) throw help
  const [program = "apt-get", ...args] = isRoot ? command : ["sudo", "-n", ...command]
  console.error(`# no ${name} on this machine: ${program} ${args.join(" ")}`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  const attempt = () => spawnSync(program, args, { env, stdio: ["ignore", 2, 2] }).status === 0
  const refresh = () => works(program, ...args.slice(0, args.indexOf("install")), "update")
  if (!attempt() && !(refresh() && attempt())) throw help
  const found = look()
  if (found === null) throw help
  return found
}

function works(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}

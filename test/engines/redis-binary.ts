// Where the server's program is: on the path, in the usual folders, or installed from the system's packages (Debian and Ubuntu, by root
// or by sudo without a password). SLUICE_NO_INSTALL=1 forbids the last. Where there is none the tests fail, and say what to do.

import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const names = ["redis-server", "valkey-server"]
const folders = ["/usr/local/bin", "/usr/bin", "/usr/sbin", "/opt/homebrew/bin", "/opt/redis/bin", "/snap/bin"]
const packages = ["install", "-y", "--no-install-recommends", "redis-server"]

let found: string | null = null

export function findServer(): string {
  found ??= look() ?? install()
  return found
}

function look(): string | null {
  const places = [...(process.env.PATH ?? "").split(delimiter), ...folders]
  return names.flatMap((name) => places.map((place) => join(place, name))).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function install(): string {
  const command = ["apt-get", ...packages]
  const help = `expected redis-server or valkey-server, found neither; install one: sudo ${command.join(" ")} (Debian, Ubuntu), brew install redis (macOS), or name a running one in SLUICE_TEST_REDIS_URL`
  if (process.env.SLUICE_NO_INSTALL === "1" || !works("apt-get", "--version")) throw new Error(help)
  const isRoot = process.getuid?.() === 0
  if (!isRoot && !works("sudo", "-n", "true")) throw new Error(help)
  const [program = "apt-get", ...args] = isRoot ? command : ["sudo", "-n", ...command]
  console.error(`# no Redis on this machine: ${program} ${args.join(" ")}`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  const attempt = () => spawnSync(program, args, { env, stdio: "inherit" }).status === 0
  const refresh = () => works(program, ...args.slice(0, args.indexOf("install")), "update")
  if (!attempt() && !(refresh() && attempt())) throw new Error(help)
  const installed = look()
  if (!installed) throw new Error(help)
  return installed
}

function works(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}

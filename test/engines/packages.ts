// Programs of the tests' own that are not there yet: installed from the system's packages (Debian and Ubuntu, by root or by sudo without a
// password). SLUICE_NO_INSTALL=1 forbids it. Where it may not be, the tests fail, and say why and what to do.

import { spawnSync } from "node:child_process"

/** What is wanted, as the error calls it; the packages that have it; what else can be done about it. */
export interface Wanted {
  readonly name: string
  readonly packages: readonly string[]
  readonly others: string
}

/** Where it is, once its packages are there. */
export function installed({ name, packages, others }: Wanted, look: () => string | null): string {
  const command = ["apt-get", "install", "-y", "--no-install-recommends", ...packages]
  const failed = (why: string) =>
    new Error(`expected ${name}, found none, and ${why}; install it: sudo ${command.join(" ")} (Debian, Ubuntu), ${others}`)
  if (process.env.SLUICE_NO_INSTALL === "1") throw failed("SLUICE_NO_INSTALL=1 forbids to install it")
  if (!works("apt-get", "--version")) throw failed("there is no apt-get to install it by")
  const isRoot = process.getuid?.() === 0
  if (!isRoot && !works("sudo", "-n", "true")) throw failed("only root or sudo without a password may install it")
  const [program = "apt-get", ...args] = isRoot ? command : ["sudo", "-n", ...command]
  console.error(`# expected ${name}, found none: ${program} ${args.join(" ")}`)
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  // What it tells is no result of ours.
  const attempt = () => spawnSync(program, args, { env, stdio: ["ignore", 2, 2] }).status === 0
  const refresh = () => works(program, ...args.slice(0, args.indexOf("install")), "update")
  if (!attempt() && !(refresh() && attempt())) throw failed("apt-get could not install it (see above)")
  const found = look()
  if (found === null) throw failed("it is not where it was looked for after apt-get installed it")
  return found
}

function works(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}

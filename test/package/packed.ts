// The package as users get it: packed, and installed into an empty project with nothing but its own dependencies. Their files come from npm's
// cache, where the `npm ci` of this repository has put them, in the versions of its lock.

import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

interface LockEntry {
  readonly dev?: boolean
  readonly peer?: boolean
}

export interface Packed {
  /** The empty project that it is installed in. */
  readonly folder: string
  readonly tarball: string
  remove(): void
}

export async function installPacked(): Promise<Packed> {
  const root = mkdtempSync(join(tmpdir(), "sluice-package-"))
  // The build is there already: the tests run it.
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", root])
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const folder = join(root, "app")
  const tarball = basename(filename)
  mkdirSync(folder)
  cpSync(join(root, tarball), join(folder, tarball))
  writeProject(folder, tarball)
  await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder })
  return { folder, tarball, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** What `npm install ./sluice-….tgz` would write, with the versions of this repository's lock instead of the newest. */
function writeProject(folder: string, tarball: string): void {
  const own = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockEntry> }
  const { version, dependencies, peerDependencies, peerDependenciesMeta, bin, engines } = own
  const needed = Object.entries(packages).filter(([path, { dev, peer }]) => path !== "" && !dev && !peer)
  const project = { name: "app", version: "1.0.0", type: "module", dependencies: { sluice: `file:${tarball}` } }
  const sluice = { version, resolved: `file:${tarball}`, dependencies, peerDependencies, peerDependenciesMeta, bin, engines }
  const lock = { name: "app", lockfileVersion: 3, packages: { "": project, "node_modules/sluice": sluice, ...Object.fromEntries(needed) } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(project))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
}

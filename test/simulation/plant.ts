// Builds a copy of the source with a bug in it. The source itself knows nothing of bugs.

import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Bug, Edit } from "./bugs/index.ts"

const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

/** Where the compiled copy is. The folder is inside the project, so that its packages are found. */
export function plant({ name, edits }: Bug): URL {
  const folder = resolve(".build", "bugs", name.replaceAll(/[^a-z]+/g, "-"))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync("src", join(folder, "src"), { recursive: true })
  for (const edit of edits) applyEdit(join(folder, "src"), name, edit)
  const compilerOptions = { rootDir: "src", outDir: "out", noCheck: true, declaration: false, sourceMap: false }
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: resolve("tsconfig.build.json"), compilerOptions, include: ["src"] }),
  )
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
  if (status !== 0) throw new Error(`planted bug "${name}": expected its source to compile, got ${stdout}`)
  return pathToFileURL(join(folder, "out/"))
}

function applyEdit(source: string, name: string, { file, find, replace }: Edit): void {
  const path = join(source, file)
  const pieces = readFileSync(path, "utf8").split(find)
  if (pieces.length !== 2) {
    throw new Error(`planted bug "${name}": expected its place in src/${file} once, found it ${pieces.length - 1} times; follow the source`)
  }
  writeFileSync(path, pieces.join(replace))
}

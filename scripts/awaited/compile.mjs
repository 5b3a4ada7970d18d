// Compiles the steps of src/store a second time, for stores whose records have to be waited for: whatever reaches a record becomes an
// asynchronous function, and whoever calls it awaits it. What reaches none is taken as it is. `node scripts/awaited/compile.mjs <folder>`
// writes the modules there, to be put into a folder of the compiled src/store.
import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Reach } from "./reach.mjs"
import { rewrite } from "./rewrite.mjs"

const ts = createRequire(new URL("../lua/package.json", import.meta.url))("typescript")
const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = join(root, "src/store")
const options = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: [],
}
const program = ts.createProgram([join(folder, "steps.ts")], options)
const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${folder}/`))
const reach = new Reach(ts, program, files)
const compiled = files.filter((file) => reach.touches(file))
const problems = []
const texts = compiled.map((file) => [
  basename(file.fileName).replace(/\.ts$/, ".js"),
  rewrite(ts, reach, file, new Set(compiled), (problem) => problems.push(problem)),
])
if (problems.length > 0) {
  for (const problem of problems) console.error(problem.replaceAll(root, ""))
  process.exit(1)
}
const [target] = process.argv.slice(2)
mkdirSync(target, { recursive: true })
// In the order of the imports: steps.js, which needs all others, is written last.
for (const [name, text] of texts) writeFileSync(join(target, name), text)

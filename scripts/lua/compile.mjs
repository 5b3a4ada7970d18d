// Compiles the steps of src/store and src/stores/redis/script to the one script that Redis runs, and the types of the contract to the
// shapes by which a client restores what Lua cannot say. `node scripts/lua/compile.mjs <folder>…` writes both into each folder.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import * as tstl from "typescript-to-lua"
import { Graph } from "./graph.mjs"
import { guard } from "./guard.mjs"
import { plugin } from "./plugin.mjs"
import { shapesOf } from "./shapes.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")
const entry = join(root, "src/stores/redis/script/step.ts")

function fail(problems) {
  for (const problem of problems) console.error(problem.replaceAll(`${root}/`, ""))
  process.exit(1)
}

const config = ts.getParsedCommandLineOfConfigFile(
  join(here, "tsconfig.json"),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error },
)
const program = ts.createProgram(config.fileNames, config.options)
const wrong = ts.getPreEmitDiagnostics(program)
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" }
const moduleName = (path) => relative(join(root, "src"), path).replace(/\.ts$/, "")
const graph = new Graph(program, root)
const files = graph.reach(entry)
const compiled = new Set(files.map((file) => file.fileName))
// What no step reaches may use what Lua has not.
const relevant = wrong.filter((one) => !one.file || compiled.has(one.file.fileName))
if (relevant.length > 0) fail([ts.formatDiagnostics(relevant, host)])
const problems = files.flatMap((file) => guard(program, file))
if (problems.length > 0) fail(problems)

program.getCompilerOptions().luaTarget = tstl.LuaTarget.Lua51
program.getCompilerOptions().luaLibImport = tstl.LuaLibImportKind.RequireMinimal
program.getCompilerOptions().noHeader = true
program.getCompilerOptions().noResolvePaths = ["*"]
const texts = new Map()
const { diagnostics } = new tstl.Transpiler().emit({
  program,
  sourceFiles: files,
  plugins: [plugin(graph, moduleName)],
  writeFile: (path, text) => texts.set(path, text),
})
if (diagnostics.length > 0) fail([ts.formatDiagnostics(diagnostics, host)])

/** By the name of the module, whatever folder the compiler would have written it to. */
function textOf(file) {
  const wanted = `${relative(root, file.fileName).replace(/\.ts$/, "")}.lua`
  const found = [...texts].find(([path]) => path.endsWith(wanted))
  if (!found) fail([`${wanted} was not compiled; there are ${[...texts.keys()].join(", ")}`])
  return found[1]
}

const library = [...texts].find(([path]) => path.endsWith("lualib_bundle.lua"))?.[1] ?? "return {}"
const ending = library.lastIndexOf("return {")
const mended = `${library.slice(0, ending)}local library = ${library.slice(ending + "return ".length).trim()}\nreplaceIn(library)\nreturn library`
const module = (name, text) => `modules["${name}"] = function()\n${text.trim()}\nend\n`
const script = [
  readFileSync(join(here, "prelude.lua"), "utf8"),
  module("lualib_bundle", mended),
  ...files.map((file) => module(moduleName(file.fileName), textOf(file))),
  `return use("${moduleName(entry)}").run(KEYS, ARGV)\n`,
].join("\n")
const shapes = JSON.stringify(shapesOf(program, root))
for (const folder of process.argv.slice(2)) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "sluice.lua"), script)
  writeFileSync(join(folder, "shapes.json"), shapes)
}

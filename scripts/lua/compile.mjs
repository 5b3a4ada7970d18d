// Compiles the steps of src/store and src/stores/redis/script to the one script that Redis runs, and the types of the contract to the
// shapes by which a client restores what Lua cannot say. `node scripts/lua/compile.mjs <folder> [names]` writes them there, with the
// script that plays traces in tests.
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
const scripts = {
  "sluice.lua": "src/stores/redis/script/step.ts",
  "play.lua": "test/redis/script/play.ts",
  "rows.lua": "test/redis/script/rows.ts",
  "engine.lua": "test/redis/script/engine.ts",
  "short.lua": "test/redis/script/short.ts",
}
const [folder, ...names] = process.argv.slice(2)
const entries = Object.fromEntries(Object.entries(scripts).filter(([name]) => names.length === 0 || names.includes(name)))

function fail(problems) {
  for (const problem of problems) console.error(problem.replaceAll(`${root}/`, ""))
  process.exit(1)
}

const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" }
const config = ts.getParsedCommandLineOfConfigFile(
  join(here, "tsconfig.json"),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error },
)
const program = ts.createProgram(config.fileNames, config.options)
const graph = new Graph(program, root)
const reached = Object.values(entries).map((entry) => graph.reach(join(root, entry)))
const files = [...new Set(reached.flat())]
// What no step reaches may use what Lua has not.
const compiled = new Set(files.map((file) => file.fileName))
const wrong = ts.getPreEmitDiagnostics(program).filter(({ file }) => !file || compiled.has(file.fileName))
if (wrong.length > 0) fail([ts.formatDiagnostics(wrong, host)])
const problems = files.flatMap((file) => guard(program, file))
if (problems.length > 0) fail(problems)

Object.assign(program.getCompilerOptions(), {
  luaTarget: tstl.LuaTarget.Lua51,
  luaLibImport: tstl.LuaLibImportKind.RequireMinimal,
  noHeader: true,
})
const moduleName = (path) => relative(root, path).replace(/\.ts$/, "")
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
  const wanted = `${moduleName(file.fileName)}.lua`
  const found = [...texts].find(([path]) => path.endsWith(wanted))
  if (!found) fail([`${wanted} was not compiled; there are ${[...texts.keys()].join(", ")}`])
  return found[1]
}

const module = (name, text) => `modules["${name}"] = function()\n${text.trim()}\nend\n`
const library = [...texts].find(([path]) => path.endsWith("lualib_bundle.lua"))?.[1] ?? "return {}"
const ending = library.lastIndexOf("return {")
const mended = `${library.slice(0, ending)}local library = ${library.slice(ending + "return ".length).trim()}\nreplaceIn(library)\nreturn library`
const opening = [readFileSync(join(here, "prelude.lua"), "utf8"), module("lualib_bundle", mended)]

mkdirSync(folder, { recursive: true })
for (const [i, [name, entry]] of Object.entries(entries).entries()) {
  const modules = reached[i].map((file) => module(moduleName(file.fileName), textOf(file)))
  writeFileSync(join(folder, name), [...opening, ...modules, `return use("${moduleName(entry)}").run(KEYS, ARGV)\n`].join("\n"))
}
writeFileSync(join(folder, "shapes.json"), JSON.stringify(shapesOf(program, root)))

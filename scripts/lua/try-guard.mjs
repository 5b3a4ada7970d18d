// The guards and the types alone, for the given files or all that is compiled: quicker than compiling.
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { guard } from "./guard.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const config = ts.getParsedCommandLineOfConfigFile(
  join(here, "tsconfig.json"),
  { noEmit: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error },
)
const files = process.argv.slice(2)
const program = ts.createProgram(files.length > 0 ? files : config.fileNames, config.options)
const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => "\n" }
const wrong = ts.getPreEmitDiagnostics(program)
if (wrong.length > 0) console.error(ts.formatDiagnostics(wrong, host))
const problems = program
  .getSourceFiles()
  .filter((file) => !file.isDeclarationFile)
  .flatMap((file) => guard(program, file))
for (const problem of problems) console.error(problem)
process.exitCode = wrong.length + problems.length > 0 ? 1 : 0

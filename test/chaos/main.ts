// `npm run chaos -- <store>`: prints a table and one closing line, or one JSON object; ends with 1 if anything was broken.

import { readArguments } from "./arguments.ts"
import { chaos, interrupted } from "./chaos.ts"
import { closingLine, isGood, totalsOf } from "./closing-line.ts"
import { lossText } from "./loss-text.ts"
import { table } from "./table.ts"

const read = readArguments(process.argv.slice(2))
if ("text" in read) {
  process[read.exitCode === 0 ? "stdout" : "stderr"].write(read.text)
  process.exit(read.exitCode)
}
const { options } = read
// The exit of this process ends its children.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(interrupted))
const tell = (line: string) => process.stderr.write(`${line}\n`)
try {
  const result = await chaos(options, tell)
  const totals = totalsOf(result)
  const text = result.losses ? lossText(options, result.losses) : `${table(result)}\n${closingLine(options.store, totals)}`
  process.stdout.write(`${options.json ? JSON.stringify({ ...result, totals }) : text}\n`)
  process.exitCode = isGood(totals) && result.kept.length === 0 ? 0 : 1
} catch (error) {
  tell(`chaos ${options.store}: ${(error as Error).message} (seed ${options.seed})`)
  process.exitCode = 1
}

// Runs one of these by itself, for trying: prints its table and the lines that were missed, and ends with 1 if there are any.
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { toText } from "../tables.mjs"

const seconds = (text) => (text === undefined ? {} : { durationMs: Number(text) * 1_000 })

/** Nothing where the file was only imported. */
export async function runAlone(url, run, columns) {
  if (argv[1] !== fileURLToPath(url)) return
  const { values } = parseArgs({
    options: { seed: { type: "string", default: "1" }, seconds: { type: "string" }, scale: { type: "string" } },
  })
  const scale = values.scale === undefined ? {} : { scale: Number(values.scale) }
  const results = await run({ seed: Number(values.seed), ...seconds(values.seconds), ...scale, tell: (line) => console.error(line) })
  console.log(toText(columns, results))
  for (const { cell, lines } of results)
    for (const { what, wanted, got, isMet } of lines) if (!isMet) console.log(`${cell.id}: ${what}: expected ${wanted}, got ${got}`)
  process.exitCode = results.some(({ lines }) => lines.some(({ isMet }) => !isMet)) ? 1 : 0
}

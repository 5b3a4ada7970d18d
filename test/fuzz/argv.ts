// Command lines that somebody may type, or a script may build out of what it was given: from the real tree of commands, with
// values that fit, values that do not, and a few slips in the words themselves.

import type { Command, Option } from "commander"
import fc from "fast-check"
import { processIo } from "../../src/cli/process-io.ts"
import { makeProgram } from "../../src/cli/program.ts"
import { Session } from "../../src/cli/session.ts"
import { hostileText, mutated } from "./corpus.ts"

const program = makeProgram(new Session(processIo))

interface Leaf {
  readonly path: readonly string[]
  readonly command: Command
}

function leavesOf(command: Command, path: readonly string[]): Leaf[] {
  if (command.commands.length === 0) return [{ path, command }]
  return command.commands.flatMap((inner) => leavesOf(inner, [...path, inner.name()]))
}

const leaves = leavesOf(program, [])

/** By the name of the value in the usage: "--ttl <duration>". */
const fitting: Readonly<Record<string, readonly string[]>> = {
  duration: ["0", "p50=1s,p99=8s", "1ms", "30s", "5m", "1h 30m", "7d", "never", "100000w"],
  seconds: ["0", "1", "300", "0.5", "-1"],
  time: ["2026-01-28T12:00:00Z", "2026-01-28T17:00:00+01:00", "1970-01-01T00:00Z", "9999-12-31T23:59:59.999Z"],
  when: ["30m", "0", "2026-01-28T17:00:00Z", "9999-12-31T23:59:59Z"],
  count: ["1", "20", "300", "0", "many"],
  limit: [
    "vendor: 10/10s",
    "vendor: 5/s, concurrency=3, keys=4+1",
    "vendor",
    "vendor/host-1",
    "vendor: keys=3",
    "pool: concurrency=2, cost=2",
    "nobody",
  ],
  n: ["0", "1", "3", "100", "1000", "none", "-1", "1000000"],
  size: ["1", "100", "1KiB", "4MiB"],
  json: ["{}", "null", '{"url": "https://example.com"}', "[1, 2]", '"text"', "-", "@input.json", "@nowhere"],
  rate: ["5/10s", "3/s", "100/1m", "1/7d"],
  gate: ["vendor", "vendor/host-1", "vendor/host-1=3", "vendor=99", "nobody"],
  cursor: ["MTVsdmdzODpiZWZvcmU6Mg", "x"],
  status: ["pending", "failed,cancelled", "archived", "complete"],
  key: ["order-7", "host 1"],
  expression: ["@daily", "*/5 * * * *", "0 9 * * 1-5", "* * * * * *", "0 0 30 2 *", "61 * * * *", "@never"],
  zone: ["UTC", "Europe/Vienna", "America/Nuuk", "Mars/Olympus"],
  what: ["none", "last", "all=10", "all=0", "all"],
  name: ["mail", "call_api", "nightly"],
}

/** What stands where an id, a limit, a shell or a module is expected. */
const places = ["vendor", "vendor/host-1", "nobody", "mail", "bash", "zsh", "fish", "./nothing-here.ts", "list", "limits"]

export interface Asked {
  readonly argv: readonly string[]
  readonly stdin: string
  readonly columns: number | undefined
}

/** `known` are ids of tasks that there are. */
export function commandLines(known: readonly string[]): fc.Arbitrary<Asked> {
  const argv = fc.constantFrom(...leaves).chain(({ path, command }) => {
    const wanted = command.registeredArguments.map(({ argChoices }) => value([...(argChoices ?? []), ...known, ...places]))
    const options = [...command.options, ...program.options]
    return fc.tuple(
      fc.constantFrom([], [], ["--json"]),
      spelt(path),
      mostly(fc.tuple(...wanted), fc.array(value([...known, ...places]), { maxLength: 3 })),
      // What has to be there is mostly there: a line without it gets no further than the parser.
      mostly(fc.tuple(...options.filter(({ mandatory }) => mandatory).map(optionOf)), fc.constant<(readonly string[])[]>([])),
      fc.array(fc.constantFrom(...options).chain(optionOf), { maxLength: 5 }),
      mostly(fc.constant<string[]>([]), fc.array(hostileText, { maxLength: 2 })),
    )
  })
  return fc.record({
    argv: argv.map((parts) => parts.flat(2)),
    stdin: fc.oneof(hostileText, fc.constantFrom("{}", "[1]")),
    columns: fc.constantFrom(undefined, undefined, 0, 1, 20, 80),
  })
}

function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: other })
}

function spelt(path: readonly string[]): fc.Arbitrary<readonly string[]> {
  const slips = fc.oneof(
    mutated(fc.constant(path.join(" "))).map((text) => text.split(" ")),
    fc.constantFrom(path.slice(0, -1), ["help", ...path]),
  )
  return mostly(fc.constant(path), slips)
}

/** With its value behind it or glued to it; sometimes without one, sometimes misspelt. */
function optionOf({ short, long, flags, required, argChoices }: Option): fc.Arbitrary<readonly string[]> {
  const names = [short, long].filter((name) => typeof name === "string")
  const name = mostly(fc.constantFrom(...names), mutated(fc.constantFrom(...names)))
  if (!required) return name.map((one) => [one])
  const kind = /<(.+)>/.exec(flags)?.[1] ?? ""
  const given = kind === "url" ? storeUrl : value([...(argChoices ?? []), ...(fitting[kind] ?? [])])
  return fc
    .tuple(name, given, fc.constantFrom("apart", "apart", "apart", "glued", "alone"))
    .map(([one, text, how]) => (how === "alone" ? [one] : how === "glued" ? [`${one}=${text}`] : [one, text]))
}

/** Nothing that would make a file outside of the folder that the test runs in. */
const storeUrl = fc.oneof(
  fc.constantFrom(
    "memory:",
    "memory:x",
    "sqlite:",
    "sqlite::memory:",
    "sqlite:.",
    "sqlite:/",
    "redis://u:secret@h/0",
    "postgres://x",
    "sqlit:x",
  ),
  hostileText.filter((text) => !text.startsWith("sqlite:")),
  hostileText.map((text) => `sqlite:./${text.replace(/[/\\.]/g, "").slice(0, 300)}`),
  hostileText.map((text) => `sqlite:./x.db?${text}`),
  mutated(fc.constantFrom("?durability=normal", "?maxBytes=1GiB")).map((text) => `sqlite:./x.db?${text}`),
)

function value(fits: readonly string[]): fc.Arbitrary<string> {
  if (fits.length === 0) return hostileText
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...fits) },
    { weight: 2, arbitrary: mutated(fc.constantFrom(...fits)) },
    { weight: 2, arbitrary: hostileText },
  )
}

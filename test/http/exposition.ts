// A reader of the text format of Prometheus, strict enough to refuse what a server would refuse: every sample belongs to a metric whose type
// was told before, names and labels are well-formed, no series comes twice, buckets rise and end with +Inf.

import assert from "node:assert/strict"

export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y

export function parseExposition(text: string): Scrape {
  assert.ok(text.endsWith("\n"), "expected a line feed at the end")
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  for (const line of text.trimEnd().split("\n")) {
    const told = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (told) {
      assert.ok(!types.has(told[1] as string), `expected one type of ${told[1]}`)
      types.set(told[1] as string, told[2] as string)
    }
    if (line.startsWith("#")) {
      assert.match(line, /^# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+$/)
      continue
    }
    const [, name, labels, value] = sample.exec(line) ?? assert.fail(`expected a sample, got ${line}`)
    const family = (name as string).replace(/_(bucket|sum|count)$/, (end) =>
      types.get((name as string).slice(0, -end.length)) === "histogram" ? "" : end,
    )
    assert.ok(types.has(family), `expected a type of ${name}`)
    assert.match(value as string, /^(-?\d+(\.\d+)?(e[+-]?\d+)?|\+Inf|NaN)$/)
    const key = keyOf(name as string, readLabels(labels ?? ""))
    assert.ok(!values.has(key), `expected ${key} once`)
    values.set(key, Number(value))
  }
  checkBuckets(values)
  return { types, value: (name, labels = {}) => values.get(keyOf(name, labels)) }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const [, name, value] = label.exec(text) ?? assert.fail(`expected labels, got ${text}`)
    labels[name as string] = value as string
  }
  return labels
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`
}

function checkBuckets(values: ReadonlyMap<string, number>): void {
  const latest = new Map<string, number>()
  for (const [key, value] of values) {
    if (!/_bucket /.test(key)) continue
    const series = key.replace(/\["le","[^"]*"\],?/, "")
    assert.ok(value >= (latest.get(series) ?? 0), `expected buckets that rise, got ${key}`)
    latest.set(series, value)
  }
}

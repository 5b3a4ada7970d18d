// Counters, gauges and histograms, and their text for Prometheus. Written here because it is this little: the library that there is for
// it brings OpenTelemetry and a digest of quantiles along, and keeps its registry for the whole process.

export type Labels = Readonly<Record<string, string>>

export interface Definition {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds, rising; of histograms. */
  readonly buckets?: readonly number[]
}

/** Series of one metric beyond which new labels are left out: what people name is not bounded. */
const mostSeries = 10_000

interface Series {
  readonly labels: Labels
  value: number
  readonly counts: number[]
}

export class Metric {
  readonly definition: Definition
  private readonly series = new Map<string, Series>()

  constructor(definition: Definition) {
    this.definition = definition
  }

  add(labels: Labels, by = 1): void {
    const found = this.find(labels)
    if (found) found.value += by
  }

  set(labels: Labels, value: number): void {
    const found = this.find(labels)
    if (found) found.value = value
  }

  observe(labels: Labels, value: number, times = 1): void {
    const found = this.find(labels)
    if (!found) return
    const { buckets = [] } = this.definition
    const place = buckets.findIndex((bound) => value <= bound)
    const index = place === -1 ? buckets.length : place
    found.counts[index] = (found.counts[index] ?? 0) + times
    found.value += value * times
  }

  /** Of what is read anew: nothing of before stays. */
  clear(): void {
    this.series.clear()
  }

  get(labels: Labels): number | undefined {
    return this.series.get(this.keyOf(labels))?.value
  }

  valuesOf(label: string): string[] {
    return [...this.series.values()].flatMap(({ labels }) => labels[label] ?? [])
  }

  lines(): string[] {
    const { name, type, help } = this.definition
    if (this.series.size === 0 && type === "gauge") return []
    const head = [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${type}`]
    return [...head, ...[...this.series.values()].flatMap((one) => this.seriesLines(one))]
  }

  private seriesLines({ labels, value, counts }: Series): string[] {
    const { name, type, buckets = [] } = this.definition
    if (type !== "histogram") return [`${name}${labelText(labels)} ${numberText(value)}`]
    let sum = 0
    const lines = [...buckets, Number.POSITIVE_INFINITY].map((bound, i) => {
      sum += counts[i] ?? 0
      return `${name}_bucket${labelText({ ...labels, le: numberText(bound) })} ${sum}`
    })
    return [...lines, `${name}_sum${labelText(labels)} ${numberText(value)}`, `${name}_count${labelText(labels)} ${sum}`]
  }

  private find(labels: Labels): Series | null {
    const key = this.keyOf(labels)
    const known = this.series.get(key)
    if (known) return known
    if (this.series.size >= mostSeries) return null
    const made = { labels, value: 0, counts: [] }
    this.series.set(key, made)
    return made
  }

  private keyOf(labels: Labels): string {
    return JSON.stringify(this.definition.labels.map((label) => labels[label] ?? ""))
  }
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? "" : `{${parts.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf"
  return Number.isNaN(value) ? "NaN" : String(value)
}

// A chart as SVG text: the accepted rate of several clients over time, the true limit as a dashed step line, and below it a row of ticks
// for the 429s of each client. It brings its own background, light or dark as the reader prefers.

const width = 960
const margin = { left: 64, right: 24, top: 64, bottom: 48 }
const plotHeight = 280
const rowHeight = 16
/** Between the lowest label of the axis and the rows of ticks. */
const gap = 12
/** Told apart in both modes, and by readers who do not see red and green apart. */
const colours = [
  ["#0b62c4", "#6cb0ff"],
  ["#c2480a", "#ff9e5e"],
  ["#1b7f5c", "#4fd1a5"],
  ["#8a3fb0", "#d19bf0"],
  ["#7a6400", "#e3c84a"],
  ["#b0215a", "#ff86b0"],
]

const style = `
  .back { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #d8dee4 } .axis { stroke: #59636e } .limit { stroke: #1f2328 }
  ${colours.map(([light], i) => `.c${i} { stroke: ${light} }`).join(" ")}
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9da7b3 } .grid { stroke: #2a313a } .axis { stroke: #9da7b3 } .limit { stroke: #e6edf3 }
    ${colours.map(([, dark], i) => `.c${i} { stroke: ${dark} }`).join(" ")}
  }
  text { font: 12px system-ui, sans-serif } .title { font-size: 15px; font-weight: 600 }
  polyline, path { fill: none }`

/**
 * - `series`: `[{ name, points: [{ atMs, perSecond }], refusedAtMs }]`, six at most.
 * - `limit`: `[{ atMs, perSecond }]`, each from its time on.
 */
export function writeChart({ title, fromMs, toMs, limit, series }) {
  if (series.length > colours.length) throw new Error(`chart: expected at most ${colours.length} series, got ${series.length}`)
  const unit = rateUnit(limit)
  const top = unit.times * highest(series, limit) * 1.1
  const right = width - margin.right
  const bottom = margin.top + plotHeight
  const height = bottom + gap + series.length * rowHeight + margin.bottom
  const x = (ms) => margin.left + ((ms - fromMs) / (toMs - fromMs)) * (right - margin.left)
  const y = (perSecond) => bottom - (Math.min(perSecond * unit.times, top) / top) * plotHeight
  const area = { x, y, top, right, bottom, height, unit, fromMs, toMs }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    `<text class="text title" x="${margin.left}" y="24">${escaped(title)}</text>`,
    legend(series),
    yAxis(area),
    xAxis(area, series.length),
    ...series.map(({ points }, i) => line(points, i, area)),
    limitLine(limit, area),
    ...series.map(({ refusedAtMs }, i) => ticks(refusedAtMs, i, area)),
    "</svg>\n",
  ].join("\n")
}

/** Rates below one a second are told by the minute. */
function rateUnit(limit) {
  return Math.max(...limit.map(({ perSecond }) => perSecond)) < 2 ? { times: 60, name: "requests/min" } : { times: 1, name: "requests/s" }
}

/** A client that sends far too fast at the start must not press all others flat. */
function highest(series, limit) {
  const most = Math.max(...limit.map(({ perSecond }) => perSecond))
  return Math.max(most, Math.min(2 * most, Math.max(0, ...series.flatMap(({ points }) => points.map(({ perSecond }) => perSecond)))))
}

function legend(series) {
  let left = margin.left
  const entries = series.map(({ name, refusedAtMs }, i) => {
    const label = `${name}: ${refusedAtMs.length.toLocaleString("en-US")} × 429`
    const entry = `<path class="c${i}" stroke-width="3" d="M${left} 44h18"/><text class="text" x="${left + 24}" y="48">${escaped(label)}</text>`
    left += 24 + label.length * 6.6 + 18
    return entry
  })
  return [
    ...entries,
    `<path class="limit" stroke-dasharray="6 4" d="M${left} 44h18"/><text class="text" x="${left + 24}" y="48">limit</text>`,
  ].join("\n")
}

function yAxis({ y, top, right, unit }) {
  const step = roundStep(top / 6)
  const lines = []
  for (let value = 0; value <= top; value += step) {
    const at = y(value / unit.times).toFixed(1)
    lines.push(`<path class="grid" d="M${margin.left} ${at}H${right}"/>`)
    lines.push(`<text class="faint" x="${margin.left - 8}" y="${Number(at) + 4}" text-anchor="end">${Number(value.toFixed(6))}</text>`)
  }
  const middle = margin.top + plotHeight / 2
  return [
    ...lines,
    `<text class="text" transform="translate(18 ${middle}) rotate(-90)" text-anchor="middle">accepted, ${unit.name}</text>`,
  ].join("\n")
}

function xAxis({ x, right, bottom, height, fromMs, toMs }, rows) {
  const spanMs = toMs - fromMs
  const [unitMs, name] = spanMs > 4 * 3_600_000 ? [3_600_000, "hours"] : spanMs > 180_000 ? [60_000, "minutes"] : [1_000, "seconds"]
  const step = roundStep(spanMs / unitMs / 10)
  const floor = bottom + gap + rows * rowHeight + 4
  const marks = [`<path class="axis" d="M${margin.left} ${bottom}H${right}"/>`]
  for (let value = 0; value * unitMs <= spanMs + 1e-6; value += step) {
    const at = x(fromMs + value * unitMs).toFixed(1)
    marks.push(
      `<path class="axis" d="M${at} ${floor}v5"/><text class="faint" x="${at}" y="${floor + 18}" text-anchor="middle">${Number(value.toFixed(6))}</text>`,
    )
  }
  return [...marks, `<text class="text" x="${(margin.left + right) / 2}" y="${height - 8}" text-anchor="middle">time, ${name}</text>`].join(
    "\n",
  )
}

function line(points, i, { x, y }) {
  const path = points.map(({ atMs, perSecond }) => `${x(atMs).toFixed(1)},${y(perSecond).toFixed(1)}`).join(" ")
  return `<polyline class="c${i}" stroke-width="1.6" stroke-linejoin="round" points="${path}"/>`
}

function limitLine(limit, { x, y, right, fromMs }) {
  const steps = limit.map(({ atMs, perSecond }, i) => {
    const at = x(Math.max(atMs, fromMs)).toFixed(1)
    return `${i === 0 ? `M${at} ` : `H${at}V`}${y(perSecond).toFixed(1)}`
  })
  return `<path class="limit" stroke-width="1.4" stroke-dasharray="6 4" d="${steps.join("")}H${right}"/>`
}

/** At most one tick for each pixel: more would make the file large and look the same. */
function ticks(refusedAtMs, i, { x, bottom, fromMs, toMs }) {
  const columns = new Set(refusedAtMs.filter((ms) => ms >= fromMs && ms <= toMs).map((ms) => Math.round(x(ms))))
  const floor = bottom + gap + i * rowHeight + 4
  const marks = [...columns].sort((a, b) => a - b).map((at) => `M${at} ${floor}v10`)
  return `<text class="faint" x="${margin.left - 8}" y="${floor + 9}" text-anchor="end">429</text><path class="c${i}" stroke-width="1.2" d="${marks.join("")}"/>`
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * (least / power <= 1 ? 1 : least / power <= 2 ? 2 : least / power <= 5 ? 5 : 10)
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

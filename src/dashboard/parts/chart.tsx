// Lines over the last hour. Painted on a canvas, so its colours are read from the style sheet, and what it shows is said in words beside it.

import { useEffect, useRef, useState } from "preact/hooks"
import uPlot from "uplot"
import { painted } from "../theme.ts"

export interface Line {
  readonly label: string
  /** A custom property of the style sheet: "--accent". */
  readonly colour: string
  readonly dash?: readonly number[]
  readonly isFilled?: boolean
  /** A burst of it may go over the top: it does not flatten the others. */
  readonly isClipped?: boolean
  readonly values: readonly number[]
}

export interface ChartProps {
  readonly title: string
  /** Seconds since the epoch, growing. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** Seconds that are shown at least, up to the last time. */
  readonly leastSpanS: number
  readonly text: (value: number) => string
}

const heightPx = 168

export function Chart({ title, times, lines, leastSpanS, text }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const version = painted.value
  // Lines keep their number and colours; their values are set below.
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const made = new uPlot(optionsOf(element, lines, leastSpanS, text, setPointed), dataOf(times, lines), element)
    plot.current = made
    const sized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: heightPx }))
    sized.observe(element)
    return () => {
      sized.disconnect()
      made.destroy()
    }
  }, [version])
  useEffect(() => {
    plot.current?.setData(dataOf(times, lines))
  }, [times])
  const shown = pointed ?? times.length - 1
  const summary = lines.map(({ label, values }) => `${label} ${text(values[shown] ?? 0)}`).join(", ")
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {lines.map(({ label, colour, dash, values }) => (
          <span key={label} class="chart-key">
            <svg width="18" height="8" aria-hidden="true" focusable="false">
              <line x1="0" y1="4" x2="18" y2="4" style={{ stroke: `var(${colour})`, strokeDasharray: dash?.join(" ") ?? "none" }} />
            </svg>
            {label} <b>{text(values[shown] ?? 0)}</b>
          </span>
        ))}
      </figcaption>
      <div ref={frame} class="chart-frame" role="img" aria-label={`${title} over the last hour; now: ${summary}`} />
    </figure>
  )
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  leastSpanS: number,
  text: (value: number) => string,
  point: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour("--muted"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
  }
  return {
    width: Math.max(100, element.clientWidth),
    height: heightPx,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: true, range: (_plot, from, to) => [Math.min(from ?? 0, (to ?? 0) - leastSpanS), to ?? 1] },
      y: { range: ({ data }) => [0, mostOf(data, lines)] },
    },
    axes: [
      { ...axis, size: 26, space: 70, values: (_plot, ticks) => ticks.map(timeText) },
      { ...axis, size: 52, values: (_plot, ticks) => ticks.map(text) },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        ...(line.dash ? { dash: [...line.dash] } : {}),
        ...(line.isFilled ? { fill: colour(`${line.colour}-fill`) } : {}),
      })),
    ],
    hooks: { setCursor: [(one) => point(one.cursor.idx ?? null)] },
  }
}

function mostOf(data: uPlot.AlignedData, lines: readonly Line[]): number {
  const values = lines.flatMap(({ isClipped }, i) => (isClipped ? [] : [...(data[i + 1] ?? [])]))
  return values.reduce<number>((most, value) => Math.max(most, (value ?? 0) * 1.2), 1)
}

const hourAndMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })

function timeText(atS: number): string {
  return hourAndMinute.format(new Date(atS * 1_000))
}

// Rows of figures as tables, for a terminal and for a document. A column is `{ head, of(row) }`; what `of` does not know is a dash.
import { markdownTable, textTable } from "../report/figures.mjs"

const cells = (columns, rows) => [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ of }) => String(of(row) ?? "-")))]

export const toText = (columns, rows) => textTable(cells(columns, rows))

/** A bar would end a cell. */
export const toMarkdown = (columns, rows) =>
  markdownTable(cells(columns, rows).map((row) => row.map((cell) => cell.replaceAll("|", "\\|"))))

export const percent = (share) => (share === null || share === undefined ? null : `${(share * 100).toFixed(1)} %`)
export const perMille = (value) =>
  value === null || value === undefined ? null : value === 0 ? "0" : `${value.toFixed(value < 10 ? 1 : 0)} ‰`

/** "10/10 s", "100/min", "5/s". */
export function rate({ limit, perMs }) {
  const units = [
    [3_600_000, "h"],
    [60_000, "min"],
    [1_000, "s"],
  ]
  const [ms, unit] = units.find(([unitMs]) => perMs % unitMs === 0) ?? [1, "ms"]
  return perMs === ms ? `${limit}/${unit}` : `${limit}/${perMs / ms} ${unit}`
}

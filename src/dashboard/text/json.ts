// Payloads as text. They are somebody else's: shown, never interpreted.

/** So much is shown at first: a browser is slow with megabytes in one element. */
export const shownChars = 20_000

export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "nothing"
}

/** One line for tables. */
export function shortJson(value: unknown, mostChars: number): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > mostChars ? `${text.slice(0, mostChars - 1)}…` : text
}

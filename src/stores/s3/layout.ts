// Where things are within a namespace. docs/internals/s3.md explains every key.

/** Records are removed in blocks of so many, by number. */
export const blockRecords = 256
/** A record is removed no earlier than this after a snapshot has taken its place. */
export const recordsKeptMs = 60 * 60_000

const digits = 12

export class Keys {
  readonly base: string

  constructor(prefix: string, namespace: string) {
    this.base = `${prefix === "" ? "" : `${prefix}/`}${namespace}/`
  }

  record(number: number): string {
    return `${this.base}log/${String(number).padStart(digits, "0")}`
  }

  get records(): string {
    return `${this.base}log/`
  }

  snapshot(number: number, id: string): string {
    return `${this.snapshots}${String(number).padStart(digits, "0")}-${id}`
  }

  get snapshots(): string {
    return `${this.base}snapshots/`
  }

  payload(id: string): string {
    return `${this.base}payloads/${id}`
  }
}

/** The number in the name of a record or a snapshot; null where it is neither. */
export function numberIn(key: string): number | null {
  const [, text] = /\/(?:log|snapshots)\/(\d{12})(?:-[^/]*)?$/.exec(key) ?? []
  return text === undefined ? null : Number(text)
}

export function firstOfBlock(number: number): number {
  return Math.max(1, Math.floor(number / blockRecords) * blockRecords)
}

/** The record that is removed before this one can be; 0 where there is none. */
export function guardOf(number: number): number {
  const first = firstOfBlock(number)
  return number === first ? number - 1 : first
}

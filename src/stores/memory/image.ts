// An image of the records: lines of plain values from which the same records are made again, to the last tie. A line is its kind and what
// belongs to it. Indexes are not in it, because they follow; orders that decide something are.

export type ImageLine = readonly [kind: string, ...values: readonly unknown[]]

/** Takes the lines of its kinds, in the order in which they were told. */
export type Restore = Readonly<Record<string, (...values: never[]) => void>>

// A planted bug: what the source would look like with it. The edits are applied to a copy, never to the source itself.

export interface Edit {
  /** Below src. */
  readonly file: string
  /** Has to be there exactly once. */
  readonly find: string
  readonly replace: string
}

export interface Bug {
  readonly name: string
  /** Where it has been seen, or what makes people write it. */
  readonly like: string
  readonly edits: readonly Edit[]
}

// What this store needs of a connection: a client of `pg`, one of its pool, or a user's own that does the same.

export interface QueryRequest {
  readonly text: string
  readonly values?: unknown[]
  readonly rowMode?: "array"
  /** Of a prepared statement. */
  readonly name?: string
  readonly types?: { getTypeParser(type: number, format?: "text" | "binary"): (text: string) => unknown }
}

export interface QueryAnswer {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/** The socket to the server: what is written while it is corked goes as one. */
export interface Corked {
  cork(): void
  uncork(): void
}

export interface Queryable {
  readonly connection?: { readonly stream?: Corked }
  /** Whether it sends a statement while the one before is still under way. */
  readonly pipeline?: boolean
  query(request: QueryRequest): Promise<QueryAnswer>
}

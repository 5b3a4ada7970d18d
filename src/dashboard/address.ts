// What the page shows, as it stands behind the # of its address: "#/tasks?status=failed". A link can be kept and sent; tokens are no part
// of it.

export const pages = ["overview", "limits", "tasks", "jobs", "schedules", "workers"] as const
export type PageName = (typeof pages)[number]

export interface Address {
  readonly page: PageName | null
  /** Of one limit, task or job; null: the list of them. */
  readonly id: string | null
  readonly query: Readonly<Record<string, string>>
}

export function parseAddress(hash: string): Address {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split("?", 2)
  const [first = "", ...rest] = path.split("/")
  const page = first === "" ? "overview" : pages.find((name) => name === first)
  const query = Object.fromEntries(new URLSearchParams(search))
  return { page: page ?? null, id: rest.length === 0 ? null : decoded(rest.join("/")), query }
}

export function addressOf(page: PageName, id: string | null = null, query: Readonly<Record<string, string>> = {}): string {
  const path = page === "overview" ? "" : id === null ? page : `${page}/${encodeURIComponent(id)}`
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString()
  return `#/${path}${search === "" ? "" : `?${search}`}`
}

function decoded(text: string): string | null {
  try {
    return text === "" ? null : decodeURIComponent(text)
  } catch {
    return text
  }
}

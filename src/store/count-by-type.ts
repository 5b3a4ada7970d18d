// How many of some tasks are of each type, by type.

export function countByType(tasks: readonly { readonly type: string }[]): { readonly type: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const { type } of tasks) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => ({ type, count })).sort((a, b) => (a.type < b.type ? -1 : 1))
}

// What a run must keep: no error, and no more memory at the end than after the first look.

/** A full garbage collection while requests are under way leaves what those hold, which is never the same. */
export const mostGrownBytes = 5 * 2 ** 20

export function verdict({ soak }) {
  if (!soak) return []
  const [first, ...others] = soak.seen.filter(({ second }) => second !== null)
  const grownBytes = others.at(-1).heapBytes - first.heapBytes
  return [
    ...(soak.errors > 0 ? [`expected no error, got ${soak.errors}, such as ${soak.firstErrors[0]}`] : []),
    ...(grownBytes > mostGrownBytes ? [`expected a heap that does not grow, got ${Math.round(grownBytes / 1_024)} KiB more`] : []),
  ]
}

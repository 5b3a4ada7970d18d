// `fetch` to providers, on a clock that is handed in. A request is counted when it arrives, one way after it was sent; its answer comes
// another way later. A request that was sent is counted even if its sender gives up before it arrives.

/**
 * - `provider`: for every host, or `providers`: `{ [host]: provider }`. The first part of the path is the key.
 * - `network`: `{ oneWayMs() }`. `clock`: `{ nowMs(), after(ms, run) -> { cancel() } }`.
 * - `observe({ key, cost, status, sentAtMs, arrivedAtMs, answeredAtMs })`: called when an answer is there.
 *
 * The header "x-cost" tells the provider the true cost of a request, "x-most-cost" the highest that its sender declares.
 */
export function virtualFetch({ provider, providers = {}, network, clock, observe }) {
  const routes = new Map()

  function route(url) {
    let found = routes.get(url)
    if (found !== undefined) return found
    const { host, pathname } = new URL(url)
    const receiver = provider ?? providers[host]
    if (!receiver) throw new TypeError(`fetch failed: expected one of the hosts ${Object.keys(providers).join(", ")}, got "${host}"`)
    found = { receiver, key: decodeURIComponent(pathname.split("/", 2)[1]) }
    // Bounded, because a key may be in use once only.
    if (routes.size >= 100_000) routes.clear()
    routes.set(url, found)
    return found
  }

  return function fetch(input, init) {
    return new Promise((resolve, reject) => {
      const { receiver, key } = route(typeof input === "string" ? input : (input.url ?? input.href))
      const signal = init?.signal ?? input.signal
      if (signal?.aborted) return reject(signal.reason)
      const headers = init?.headers ?? input.headers
      const cost = numberIn(headers, "x-cost") ?? 1
      const mostCost = numberIn(headers, "x-most-cost") ?? cost
      const sentAtMs = clock.nowMs()
      let coming = null
      const giveUp = () => {
        coming?.cancel()
        reject(signal.reason)
      }
      signal?.addEventListener("abort", giveUp, { once: true })
      clock.after(network.oneWayMs(), () => {
        const arrivedAtMs = clock.nowMs()
        const { status, headers, body } = receiver.receive({ atMs: arrivedAtMs, key, cost, mostCost })
        if (status === 0 || signal?.aborted) return
        coming = clock.after(network.oneWayMs(), () => {
          signal?.removeEventListener("abort", giveUp)
          observe?.({ key, cost, status, sentAtMs, arrivedAtMs, answeredAtMs: clock.nowMs() })
          resolve(new Response(body, { status, headers }))
        })
      })
    })
  }
}

function numberIn(headers, name) {
  if (!headers) return undefined
  const text = headers instanceof Headers ? headers.get(name) : (headers[name] ?? pairOf(headers, name))
  return text === null || text === undefined ? undefined : Number(text)
}

/** In a list of pairs, or in an object that has the name in other letters. */
function pairOf(headers, wanted) {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers)
  return pairs.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

// What a client needs of `fetch` and no more: `send(key, cost) -> Promise<{ status, headers }>`, on a clock that is handed in. Counts as
// virtual-fetch.mjs does, without the price of a Response.

export function virtualSend({ provider, network, clock }) {
  return (key, cost = 1) =>
    new Promise((resolve) => {
      clock.after(network.oneWayMs(), () => {
        const answer = provider.receive({ atMs: clock.nowMs(), key, cost })
        if (answer.status !== 0) clock.after(network.oneWayMs(), () => resolve(answer))
      })
    })
}

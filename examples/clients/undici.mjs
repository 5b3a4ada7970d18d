// undici: its responses have a statusCode and plain headers, and a refusal is no error.

import { defineLimit, defineTask } from "sluice"
import { request } from "undici"
import { runAgainst } from "./against.mjs"

// Nobody has said what the limit is: it is looked for, from twenty a second on.
const api = defineLimit("vendor-api", { adaptive: { start: "20/s" } })

const getOrder = defineTask("get_order", {
  limits: [api],
  run: async ({ url, number }, ctx) => {
    const response = await request(`${url}/orders?number=${number}`, { signal: ctx.signal })
    // All of it, whatever it is: the body of a refusal need not be JSON, and one that is not read holds its connection.
    const text = await response.body.text()
    ctx.observe(response)
    return JSON.parse(text)
  },
})

await runAgainst({ accounting: "bucket", limit: 40, perMs: 1_000, burst: 40, dialect: "ietf" }, getOrder, 40)

// axios: it throws what is no success, so both what it gives and what it throws are observed.

import axios from "axios"
import { defineLimit, defineTask } from "sluice"
import { runAgainst } from "./against.mjs"

// Begun too fast on purpose: the other side will say so, and the gate finds the pace that it takes.
const api = defineLimit("vendor-api", { adaptive: { start: "100/s" } })

const getIssue = defineTask("get_issue", {
  limits: [api],
  run: async ({ url, number }, ctx) => {
    const asked = axios.get(`${url}/issues`, { params: { number }, signal: ctx.signal })
    const response = await asked.catch((error) => {
      // A refusal ends the run here. Any other error is thrown as it came.
      ctx.observe(error)
      throw error
    })
    ctx.observe(response)
    return response.data
  },
})

await runAgainst({ accounting: "bucket", limit: 40, perMs: 1_000, burst: 5, dialect: "retry-after" }, getIssue, 30)

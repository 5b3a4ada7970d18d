// Tasks that pass a gate for each host: two in an hour, so that a test need not wait to see the third one held.

import { defineLimit, defineTask, RateLimitError } from "../../../../src/index.ts"

export const vendorApi = defineLimit("vendor-api", { rate: "2/1h", provider: "sliding" })

export const callApi = defineTask("call_api", {
  limits: ({ host }: { host: string }) => [vendorApi(host)],
  run: ({ host }) => `called ${host}`,
})

/** The other side refuses every call. */
export const refused = defineTask("refused", {
  limits: [vendorApi("refusing")],
  run: () => {
    throw new RateLimitError({ retryAfter: "1h" })
  },
})

// What real processes run while a simulation of it is compared with them.

import { defineLimit, defineTask } from "../../../src/index.ts"
import { sleep } from "../../../src/world/index.ts"

/** A bucket is filled by the clock alone: who comes late for one task does not delay the next. */
export const vendorApi = defineLimit("vendor-api", { rate: "40/1s", provider: "bucket", burst: 10 })

export const callApi = defineTask("call_api", {
  limits: [vendorApi],
  run: async (_input: number, { queue }) => sleep(queue.world, 50),
})

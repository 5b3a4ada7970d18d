// A store seen through text: each request and each answer is written as JSON and read back, as on the way to a server. A
// store that passes the suite this way hides nothing in its values.

import type { Store } from "../store/contract.ts"
import { throughCalls } from "./through-calls.ts"

const asText = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export function viaJson(store: Store): Store {
  return throughCalls(store, async (_operation, request, call) => asText(await call(asText(request))))
}

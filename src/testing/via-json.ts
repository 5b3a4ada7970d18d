// A store seen through text: each request and each answer is written as JSON and read back, as on the way to a server. A
// store that passes the suite this way hides nothing in its values.

import { type Operation, operations, type Store } from "../store/contract.ts"

const asText = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

export function viaJson(store: Store): Store {
  return new Proxy(store, {
    get(_target, property) {
      if (!operations.includes(property as Operation)) return bound(store, property)
      const call = store[property as Operation].bind(store) as (request: unknown) => Promise<unknown>
      return async (request: unknown) => asText(await call(asText(request)))
    },
  })
}

/** Private fields need their own object as `this`. */
function bound(store: Store, property: string | symbol): unknown {
  const value = Reflect.get(store, property, store)
  return typeof value === "function" ? value.bind(store) : value
}

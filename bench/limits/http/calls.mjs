// The task of these runs: one request to a provider, at a gate that has its name. Says when it went out and when it was answered.
import { defineLimit, defineTask } from "../../../dist/index.js"
import { nowMs } from "../../limits-http/now.mjs"

/** `limits`: by name, what defineLimit takes; the input names one of them and a provider. */
export function makeTask({ url, limits }) {
  const byName = new Map(Object.entries(limits).map(([name, options]) => [name, defineLimit(name, options)]))
  return defineTask("call", {
    limits: ({ limit, name }) => [byName.get(limit)(name)],
    maxRetries: 100,
    run: async ({ name }, { task, fetch }) => {
      const sentAtMs = nowMs()
      await fetch(`${url}/${name}/${task.id}`)
      return { sentAtMs, answeredAtMs: nowMs() }
    },
  })
}

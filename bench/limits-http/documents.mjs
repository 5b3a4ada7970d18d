// The task of the second case: has a document read by an API that stands few calls at once.
import { defineLimit, defineTask, PermanentError } from "../../dist/index.js"

export function makeTask({ url, slots, workerId }) {
  const documents = defineLimit("documents", { concurrency: slots })
  return defineTask("read-document", {
    limits: [documents],
    run: async ({ hangs }, { task, signal }) => {
      const response = await fetch(`${url}/${hangs ? "hang" : "read"}/${task.id}/${workerId}`, { method: "POST", signal })
      await response.arrayBuffer()
      if (!response.ok) throw new PermanentError(`the server answered ${response.status}`)
    },
  })
}

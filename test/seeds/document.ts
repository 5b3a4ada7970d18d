// The fourth seed's chunks, as a module that several processes run: one call to the other side each, five at once over all of them.

import { defineLimit, defineTask } from "../../src/index.ts"

export const processes = 4
export const chunkCount = 60
export const atOnce = 5

export const documentAi = defineLimit("document-ai", { concurrency: atOnce })

/** The seed's minute, shortened: no other call takes a tenth of it. */
const timeout = "3s"

export function chunkTask(url: string) {
  return defineTask("ocr", {
    limits: [documentAi],
    timeout,
    maxRetries: 0,
    run: async ({ chunk }: { readonly chunk: number }, { fetch, progress }) => {
      progress({ chunk })
      const response = await fetch(`${url}/${chunk}`)
      if (!response.ok) throw new Error(`answered ${response.status}`)
      return response.json()
    },
  })
}

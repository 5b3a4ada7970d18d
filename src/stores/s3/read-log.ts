// The records of the log, one after the other, for people. Looks only.

import { shown } from "../../errors/index.ts"
import type { ReadLog } from "../../store/open.ts"
import { damaged } from "./errors.ts"
import { numberIn } from "./layout.ts"
import { reach } from "./reach.ts"
import { unpackRecord } from "./record.ts"

export const readLog: ReadLog = async function* (request, { from, count }) {
  const { objects, keys } = await reach(request)
  try {
    const numbers = (await objects.list(keys.records)).objects.map(({ key }) => numberIn(key) ?? 0).sort((a, b) => a - b)
    const wanted = from === null ? numbers.slice(-count) : numbers.filter((number) => number >= from).slice(0, count)
    for (const number of wanted) {
      const key = keys.record(number)
      const { status, body } = await objects.read(key)
      // Removed since it was listed.
      if (status === 404) continue
      const { head, requests } = await unpackRecord(body).catch((error: Error) => {
        throw damaged(objects.place, key, `expected a record of the log, got what cannot be read (${shown(error.message)})`)
      })
      const { writer, atMs, errorMs } = head
      yield { number, writer, atMs, errorMs, requests: requests.map(({ id, op, request: asked }) => ({ id, op, request: asked })) }
    }
  } finally {
    objects.close()
  }
}

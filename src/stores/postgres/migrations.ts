// What `sluice migrate` asks of this store: on a connection of its own, without opening a queue.

import type { OpenMigrations } from "../../store/open.ts"
import { translate } from "./errors.ts"
import { loadLibrary } from "./library.ts"
import { parseLocation, placeOf } from "./location.ts"
import { migrate, pending } from "./migrate.ts"
import { quoted } from "./schema.ts"

export const openMigrations: OpenMigrations = async (url) => {
  const location = parseLocation(url)
  const { schema, patienceMs, connectionString } = location
  const place = placeOf(location)
  const telling = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw translate(error, place)
    }
  }
  const { Client } = await loadLibrary()
  const client = await telling(async () => {
    const made = new Client({ fallback_application_name: "sluice migrate", connectionTimeoutMillis: patienceMs, connectionString })
    // Whoever asks is told of it by the question that fails; without a listener the process would end.
    made.on("error", () => {})
    await made.connect()
    return made
  })
  return {
    place: `${place} schema ${quoted(schema)}`,
    pending: () => telling(() => pending(client, schema)),
    apply: () => telling(() => migrate(client, schema)),
    close: () => client.end(),
  }
}

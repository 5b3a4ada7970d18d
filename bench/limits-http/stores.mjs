// The stores that the cases run on, each case in a place of its own. Redis, Postgres and S3 are servers that end with the run; the first two
// sync before they answer.
import { join } from "node:path"
import { startPostgres, startRedis } from "../engines/start.mjs"
import { startServer } from "../s3/server.mjs"

/** Answers with `storeFor(name)`, the URL of a place for one case, and what ends it. */
export const stores = {
  async sqlite(folder) {
    let made = 0
    return { storeFor: (name) => `sqlite:${join(folder, `${name}-${made++}.db`)}`, end: () => {} }
  },
  async redis() {
    const { url, remove } = await startRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] })
    let made = 0
    return { storeFor: (name) => `${url}?prefix=${name}-${made++}`, end: remove }
  },
  async postgres() {
    const { url, remove } = await startPostgres({ isDurable: true })
    let made = 0
    return { storeFor: (name) => `${url}?schema=${name.replaceAll("-", "_")}_${made++}`, end: remove }
  },
  async s3() {
    const server = await startServer()
    let made = 0
    const storeFor = (name) => {
      const url = new URL(server.url)
      url.pathname = `/${name}-${made++}`
      return url.href
    }
    return { storeFor, end: () => server.stop() }
  },
}

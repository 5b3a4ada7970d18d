// The S3 server of the bench: the one that the tests start (Ceph's gateway), or one that SLUICE_BENCH_S3_URL names.
import { startCeph } from "../engines/start.mjs"

export async function startServer() {
  const given = process.env.SLUICE_BENCH_S3_URL
  if (given) return { url: given, name: "SLUICE_BENCH_S3_URL", stop: async () => {} }
  const server = await startCeph()
  return { url: server.url, name: `Ceph radosgw ${server.version}, objects in memory`, stop: () => server.remove() }
}

/** The same bucket by way of another port, under a prefix of its own. */
export function through(url, port, prefix) {
  const there = new URL(url)
  there.searchParams.set("endpoint", `http://127.0.0.1:${port}`)
  there.pathname = `/${prefix}`
  return there.href
}

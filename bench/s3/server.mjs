// The S3 server of the bench: the one that the tests start (Ceph's gateway), or one that SLUICE_BENCH_S3_URL names.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export async function startServer() {
  const given = process.env.SLUICE_BENCH_S3_URL
  if (given) return { url: given, name: "SLUICE_BENCH_S3_URL", stop: async () => {} }
  const build = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))
  if (spawnSync(process.execPath, [build, "test"], { stdio: ["ignore", 2, 2] }).status !== 0)
    throw new Error("bench s3: expected the build to succeed; nothing was measured")
  const { startCeph } = await import("../../.build/test/engines/ceph.js")
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

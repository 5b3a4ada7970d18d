// The servers that benchmarks run on are those that the tests start (test/engines): found on this machine, or installed where that may be; on
// free ports of the loopback, with their files in a folder of their own, and ended with the bench. Each bench says how its server is set.
import { buildIfStale } from "../../scripts/build-if-stale.mjs"

async function engine(name) {
  if (!buildIfStale("test")) throw new Error("expected the build to succeed (see above); nothing was measured")
  return import(`../../.build/test/engines/${name}.js`)
}

/** `options` as those of test/engines/redis.ts. */
export const startRedis = async (options) => (await engine("redis")).startRedis(options)

/** `options` as those of test/engines/postgres.ts. */
export const startPostgres = async (options) => (await engine("postgres")).startPostgres(options)

export const startCeph = async () => (await engine("ceph")).startCeph()

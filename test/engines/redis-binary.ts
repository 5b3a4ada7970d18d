// Where the server's program is: on the path or in the usual folders; else installed from the system's packages where that may be.

import { installed } from "./packages.ts"
import { findProgram } from "./programs.ts"

const folders = ["/usr/local/bin", "/usr/bin", "/usr/sbin", "/opt/homebrew/bin", "/opt/redis/bin", "/snap/bin"]
const wanted = {
  name: "a Redis server (redis-server or valkey-server)",
  packages: ["redis-server"],
  others: "brew install redis (macOS), or name a running one in SLUICE_TEST_REDIS_URL for the tests that share one",
}

let found: string | null = null

export function findServer(): string {
  found ??= look() ?? installed(wanted, look)
  return found
}

function look(): string | null {
  return findProgram(["redis-server", "valkey-server"], folders)
}

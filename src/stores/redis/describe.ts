// What the server says of itself, in the words of `sluice doctor`: what an acknowledged write survives, and the facts it follows from.

import type { CountsAnswer, StoreDescription } from "../../store/contract.ts"
import { formatSize } from "../../units/index.ts"
import type { Client } from "./driver.ts"
import { type Info, isBefore, readInfo, readSetting, type Server, serverOf } from "./info.ts"
import { evictionPolicy } from "./safety.ts"

type Persistence = "none" | "rdb" | "aof everysec" | "aof always" | "aof no" | "unknown"

const durabilities: Readonly<Record<Persistence, string>> = {
  none: "none: everything is gone when the server ends or restarts; set appendonly yes to keep tasks",
  rdb: "snapshots: a crash of the server takes all since the last snapshot, minutes as a rule; set appendonly yes to keep tasks",
  "aof everysec":
    "every second: survives a crash of the server; a power loss may take the last second or two (appendfsync always takes none)",
  "aof always": "full: an acknowledged write survives a power loss of the server",
  "aof no": "left to the system: survives a crash of the server; a power loss may take the last half minute (set appendfsync everysec)",
  unknown: "unknown: the server does not tell whether it appends to a file; ask who runs it",
}

export async function describeServer(
  client: Client,
  place: { readonly namespace: string; readonly host: string; readonly isCluster: boolean },
  { byStatus }: CountsAnswer,
): Promise<StoreDescription> {
  const info = await readInfo(client)
  const [fsync, save] = [await readSetting(client, "appendfsync"), await readSetting(client, "save")]
  const persistence = persistenceOf(info, fsync, save)
  const server = serverOf(info)
  const notice = noticeFor(server)
  const maxBytes = Number(info.maxmemory ?? 0)
  return {
    kind: "redis",
    namespace: place.namespace,
    durability: durabilities[persistence] + replication(info),
    facts: {
      server: `${server.name} ${server.version}`,
      host: place.host,
      driver: "@redis/client",
      mode: info.redis_mode ?? info.server_mode ?? "standalone",
      role: info.role === "slave" ? "replica" : "primary",
      replicas: Number(info.connected_slaves ?? 0),
      cluster: place.isCluster ? "yes" : "no",
      persistence,
      maxmemory: maxBytes > 0 ? formatSize(maxBytes) : "none",
      maxmemory_policy: (await evictionPolicy(client, info)) ?? "unknown",
      used_memory_bytes: Number(info.used_memory ?? 0),
      keys: Number((await client.send(["DBSIZE"])) as number),
      ...byStatus,
      ...(notice && { security: notice }),
    },
  }
}

function persistenceOf(info: Info, fsync: string | null, save: string | null): Persistence {
  if (info.aof_enabled === "1") return fsync === "always" ? "aof always" : fsync === "no" ? "aof no" : "aof everysec"
  if (info.aof_enabled === undefined) return "unknown"
  // Where the configuration is hidden, that it has ever saved tells that it does.
  return (save === null ? Number(info.rdb_saves ?? 0) > 0 : save !== "") ? "rdb" : "none"
}

function replication(info: Info): string {
  return Number(info.connected_slaves ?? 0) > 0 ? ". Replicas follow a moment later: a failover may take the last writes" : ""
}

/** CVE-2025-49844: whoever may run scripts can break out of Lua. What is fixed first in each line of releases. */
const fixed: Readonly<Record<Server["name"], readonly string[]>> = {
  redis: ["6.2.20", "7.2.11", "7.4.6", "8.0.4", "8.2.2"],
  valkey: ["7.2.11", "8.0.6", "8.1.4"],
}

export function noticeFor({ name, version }: Server): string | null {
  const lines = fixed[name]
  const line = version.split(".").slice(0, 2).join(".")
  const inLine = lines.find((one) => one.startsWith(`${line}.`))
  const isOpen = inLine ? isBefore(version, inLine) : isBefore(version, lines.at(-1) ?? version)
  if (!isOpen || version === "unknown") return null
  const wanted = inLine ?? lines.find((one) => isBefore(version, one)) ?? lines.at(-1)
  return `CVE-2025-49844 is open in ${name} ${version}: upgrade to ${wanted} or newer, unless your system's package has been patched`
}

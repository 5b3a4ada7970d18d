// What a server must be before a queue is kept on it: new enough, and one that refuses a write rather than forget a task.

import { SluiceError } from "../../errors/index.ts"
import type { Client } from "./driver.ts"
import { type Info, isBefore, readInfo, readSetting, serverOf } from "./info.ts"

const oldest = "6.2.0"

/** What is needed of it, of everybody who asks: a user whose rights are bounded may lack one of them, and would notice in the midst of a step. */
export async function checkServer(client: Client, place: string, isCluster: boolean): Promise<void> {
  const info = await readInfo(client)
  const unfit = (message: string) => new SluiceError("store_unfit", `${place}: ${message}`)
  if (isBefore(info.redis_version ?? oldest, oldest)) {
    throw unfit(`expected Redis ${oldest.slice(0, 3)} or newer, or Valkey, got ${serverOf(info).version}; upgrade the server`)
  }
  if (info.cluster_enabled === "1" && !isCluster)
    throw unfit("expected a server of its own, but this is a node of a cluster; add ?cluster=true to the URL")
  const policy = await evictionPolicy(client, info)
  if (policy !== null && policy !== "noeviction") {
    throw unfit(
      `expected maxmemory-policy noeviction, got ${policy}: at its maxmemory this server would drop tasks unasked. ` +
        "Set it (CONFIG SET maxmemory-policy noeviction, and in its configuration file), or use a server of its own",
    )
  }
}

/** Null where the server tells neither way. */
export async function evictionPolicy(client: Client, info: Info): Promise<string | null> {
  return info.maxmemory_policy ?? (await readSetting(client, "maxmemory-policy"))
}

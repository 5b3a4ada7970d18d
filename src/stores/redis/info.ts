// What a server says of itself, and which server it is: Redis, or Valkey, which tells Redis's version beside its own.

import type { Client } from "./driver.ts"
import { isDenied } from "./errors.ts"

export type Info = Readonly<Record<string, string>>

export async function readInfo(client: Client): Promise<Info> {
  return parseInfo(String(await client.send(["INFO"])))
}

export function parseInfo(text: string): Info {
  const info: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf(":")
    if (at > 0 && !line.startsWith("#")) info[line.slice(0, at)] = line.slice(at + 1)
  }
  return info
}

/** Managed servers hide their configuration: null where it is not to be had. */
export async function readSetting(client: Client, name: string): Promise<string | null> {
  try {
    const found = (await client.send(["CONFIG", "GET", name])) as readonly unknown[]
    return found[1] === undefined ? null : String(found[1])
  } catch (error) {
    if (isDenied(error) || /unknown command|unknown subcommand/i.test(String((error as Error).message))) return null
    throw error
  }
}

export interface Server {
  readonly name: "redis" | "valkey"
  readonly version: string
}

export function serverOf(info: Info): Server {
  if (info.valkey_version !== undefined) return { name: "valkey", version: info.valkey_version }
  return { name: "redis", version: info.redis_version ?? "unknown" }
}

export function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map((part) => Number.parseInt(part, 10) || 0)) as [number[], number[]]
  for (let i = 0; i < 3; i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) < (b[i] ?? 0)
  return false
}

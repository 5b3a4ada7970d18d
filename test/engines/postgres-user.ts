// Postgres and PgBouncer refuse to run as root: started by root, they run as somebody who may little.

import { spawnSync } from "node:child_process"

export interface User {
  readonly uid: number
  readonly gid: number
}

let found: User | null | undefined

/** Null where whoever runs the tests is no root: it runs them as itself. */
export function serverUser(): User | null {
  if (found === undefined) found = process.getuid?.() === 0 ? (userNamed("postgres") ?? userNamed("nobody")) : null
  if (found === null && process.getuid?.() === 0) throw new Error("expected a user postgres or nobody to run the server as, found neither")
  return found
}

function userNamed(name: string): User | null {
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, name], { encoding: "utf8" }))
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null
}

// The client library, an optional peer: loaded when a Postgres store is opened.

import { SluiceError } from "../../errors/index.ts"

export type Library = typeof import("pg")

export async function loadLibrary(): Promise<Library> {
  try {
    return await import("pg")
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    throw new SluiceError(
      "missing_dependency",
      "postgres: expected the package pg, which is installed only where Postgres is used, but there is none; install it: npm install pg",
      { cause },
    )
  }
}

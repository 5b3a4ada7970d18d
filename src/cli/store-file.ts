// Whether there is a store to look at. Who only asks makes no file.

import { existsSync } from "node:fs"

/** True where the URL names a file that is not there. */
export function isFileMissing(url: string): boolean {
  const [path = ""] = url.replace(/^sqlite:(\/\/(?=[^/]))?/, "").split("?")
  return url.startsWith("sqlite:") && path !== "" && path !== ":memory:" && !existsSync(path)
}

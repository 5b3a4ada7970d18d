// SQLite: a file and no server. What a network would do is done inside each process (bad-line.ts).

import { join } from "node:path"
import type { StartStore } from "./index.ts"

export const sqlite: StartStore = async (folder) => ({
  url: `sqlite:${join(folder, "sluice.db")}`,
  restart: null,
  lines: null,
  stop: async () => {},
})

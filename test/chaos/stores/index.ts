// The stores that chaos can be let loose on. A new one is a file beside this that says how its server is started, and a line here.

import { sqlite } from "./sqlite.ts"

export interface ChaosStore {
  readonly url: string
  /** Ends the server without warning and starts it again. Null where there is no server. */
  readonly restart: (() => Promise<void>) | null
  stop(): Promise<void>
}

/** Everything that it keeps is in the folder, which is looked at afterwards when something was broken. */
export type StartStore = (folder: string) => Promise<ChaosStore>

export const chaosStores: Readonly<Record<string, StartStore>> = { sqlite }

// How a store is opened: every folder under src/stores exports `open` of this type.

import type { World } from "../world/index.ts"
import type { Store } from "./contract.ts"

export interface OpenRequest {
  readonly url: string
  readonly namespace: string
  readonly world: World
}

export type OpenStore = (request: OpenRequest) => Promise<Store>

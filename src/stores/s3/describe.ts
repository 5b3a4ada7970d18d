// What the store says of itself.

import type { StoreDescription } from "../../store/contract.ts"
import { type Status, statuses } from "../../task/index.ts"
import type { NamespaceOptions } from "./namespace.ts"

export function describe({ name }: NamespaceOptions, byStatus: Readonly<Record<Status, number>>): StoreDescription {
  const tasks = statuses.reduce((sum, status) => sum + byStatus[status], 0)
  return {
    kind: "s3",
    namespace: name,
    durability: "as the bucket's: every change is an object before it is acknowledged",
    facts: { tasks },
  }
}

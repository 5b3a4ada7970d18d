// `memory:` is a queue of its own each time; `memory:name` is one that all connections of this process share.

import type { OpenStore } from "../../store/open.ts"
import { MemoryNamespace, MemoryStore } from "./store.ts"

type Namespaces = Map<string, MemoryNamespace>
const named = new Map<string, Namespaces>()

export const open: OpenStore = async ({ url, namespace, world }) => {
  const name = url.slice("memory:".length)
  const namespaces = (name === "" ? undefined : named.get(name)) ?? new Map<string, MemoryNamespace>()
  if (name !== "") named.set(name, namespaces)
  const shared = namespaces.get(namespace) ?? new MemoryNamespace()
  namespaces.set(namespace, shared)
  return new MemoryStore(shared, namespace, world)
}

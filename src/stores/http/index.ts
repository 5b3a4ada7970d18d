// `http://…` and `https://…`: a Sluice server as a store. Every operation is one POST; the server's store keeps everything.

import type { OpenStore } from "../../store/open.ts"
import { Line } from "./line.ts"
import { parseLocation } from "./location.ts"
import { HttpStore } from "./store.ts"
import { findToken } from "./token.ts"

export const open: OpenStore = async ({ url, namespace, world }) => {
  const location = parseLocation(url)
  const line = new Line({ location, namespace, world, token: await findToken(location, process.env) })
  const store = new HttpStore({ location, line, world })
  // Asked at once: whoever connects is told here that nobody answers, or that he may not.
  await store.describe({})
  return store
}

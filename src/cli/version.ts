// The version of this package. It asks for itself by name, which finds its package.json from wherever it was built to.

import { createRequire } from "node:module"

export const { version } = createRequire(import.meta.url)("sluice/package.json") as { readonly version: string }

// What the dashboard reads is what the routes send: its types are held against the schemas, by the compiler.

import { it } from "node:test"
import type { z } from "zod"
import type * as shown from "../../src/dashboard/api/documents.ts"
import type * as schemas from "../../src/http/schemas.ts"

/** Compiles only where everything that is sent may be read as that. */
type Reads<Shown, Sent extends Shown> = [Shown, Sent]

export type Held = [
  Reads<shown.TaskDocument, z.output<typeof schemas.taskDocument>>,
  Reads<shown.Counts, z.output<typeof schemas.counts>>,
  Reads<shown.HistoryItem, z.output<typeof schemas.historyItem>>,
  Reads<Omit<shown.GateDocument, "policy">, z.output<typeof schemas.gateDocument>>,
  Reads<Omit<shown.LimitDocument, "base" | "gate" | "settings">, z.output<typeof schemas.limitDocument>>,
  Reads<shown.ChangeDocument, z.output<typeof schemas.changeDocument>>,
  Reads<Omit<shown.ExplanationDocument, "gates">, z.output<typeof schemas.explanation>>,
  Reads<shown.JobDocument, z.output<typeof schemas.jobDocument>>,
  Reads<Omit<shown.JobDetailDocument, "gates">, z.output<typeof schemas.jobDetail>>,
  Reads<shown.ScheduleDocument, z.output<typeof schemas.scheduleDocument>>,
]

it("the dashboard's documents are those of the routes", () => {})

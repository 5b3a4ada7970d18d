// sluice limits: what limits and gates there are, and changing them by hand.

import type { Command } from "commander"
import { define } from "../define.ts"
import type { Session } from "../session.ts"
import { addClose } from "./limits/close.ts"
import { addLimitHistory } from "./limits/history.ts"
import { addLearned } from "./limits/learned.ts"
import { addLs } from "./limits/ls.ts"
import { addPause } from "./limits/pause.ts"
import { addReset } from "./limits/reset.ts"
import { addResume } from "./limits/resume.ts"
import { addSet } from "./limits/set.ts"
import { addShow } from "./limits/show.ts"

const commands = [addLs, addShow, addSet, addPause, addResume, addClose, addReset, addLimitHistory, addLearned]

export function addLimits(program: Command, session: Session): void {
  const limits = define(program, {
    usage: "limits",
    summary: "Show and change limits",
    details:
      "A limit is named by its name, one of its gates by limit/key. What is changed by hand holds until it is reset, through deploys.",
    examples: ["sluice limits ls", "sluice limits show vendor-api", "sluice limits pause vendor-api"],
  })
  for (const add of commands) add(limits, session)
}

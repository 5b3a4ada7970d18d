// sluice config: what holds here, and where it comes from.

import type { Command } from "commander"
import { define } from "../define.ts"
import type { Session } from "../session.ts"
import { addCheck } from "./config/check.ts"

export function addConfig(program: Command, session: Session): void {
  const config = define(program, {
    usage: "config",
    summary: "Look at the settings that hold here",
    examples: ["sluice config check", "sluice config check --json"],
  })
  addCheck(config, session)
}

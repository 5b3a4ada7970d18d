// sluice s3: what only a store on S3 has.

import type { Command } from "commander"
import { define } from "../define.ts"
import type { Session } from "../session.ts"
import { addLog } from "./s3/log.ts"

export function addS3(program: Command, session: Session): void {
  const s3 = define(program, {
    usage: "s3",
    summary: "Look into the log of a store on S3",
    examples: ["sluice s3 log --store s3://bucket/queue"],
  })
  addLog(s3, session)
}

// What a server on the command line says: a line for each change that somebody has asked for, and for what went wrong in the server
// itself. Text for a terminal, else a JSON document a line.

import type { LogLine } from "../http/server-options.ts"
import { jsonLine } from "./json-line.ts"
import { plain } from "./plain.ts"
import type { Session } from "./session.ts"
import type { LogForm } from "./work-log.ts"

export function httpLog(session: Session, form: LogForm): (line: LogLine) => void {
  const stamp = () => new Date(session.io.world.wallMs()).toISOString()
  if (session.isJson || form === "json")
    return ({ level, event, fields }) => session.note(jsonLine({ at: stamp(), level, event, ...fields }))
  return ({ level, event, fields }) => {
    const told = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" ? value : jsonLine(value)}`)
    session.note(plain(`${stamp()} ${level === "info" ? event : `${level} ${event}`} ${told.join(" ")}`))
  }
}

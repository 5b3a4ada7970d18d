// What goes back: documents as JSON, errors with their code, their message and the status of the one table. What nobody expected says
// so, and no more: the log has the rest.

import type { z } from "zod"
import { cut, errorTable, isSluiceError, plain, type SluiceError } from "../errors/index.ts"
import { securityHeaders } from "./guards.ts"
import { TooManyRequests } from "./request-rate.ts"

export function jsonAnswer(status: number, document: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(document), {
    status,
    headers: { ...securityHeaders, "content-type": "application/json; charset=utf-8", ...headers },
  })
}

export interface ErrorAnswer {
  readonly response: Response
  readonly isUnexpected: boolean
}

export function errorAnswer(error: unknown): ErrorAnswer {
  const known = isSluiceError(error) ? error : null
  const code = known?.code ?? "internal"
  const status = known ? errorTable[known.code].httpStatus : 500
  const message = known ? known.message : "something unexpected happened in the server; its log has more"
  const document = { error: { code, message, retryable: known?.retryable ?? false } }
  return { response: jsonAnswer(status, document, extraHeaders(known)), isUnexpected: known === null }
}

function extraHeaders(error: SluiceError | null): Readonly<Record<string, string>> {
  if (error?.code === "unauthorized") return { "www-authenticate": 'Bearer realm="sluice"' }
  return error instanceof TooManyRequests ? { "retry-after": String(error.retryAfterSeconds) } : {}
}

/** "body.tasks[3].task_type: expected string, received undefined", for the first few of what is wrong. */
export function issuesText(where: string, issues: readonly z.core.$ZodIssue[]): string {
  const told = issues
    .slice(0, 3)
    .map(({ path, message }) => `${[where, ...path.map(String)].join(".")}: ${message.replace(/^Invalid input: /, "")}`)
  return cut(plain(told.join("; ")), 1_000)
}

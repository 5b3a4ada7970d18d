// What the server's refusals, and a connection that breaks, mean to a user of Sluice.

import { cut, type ErrorCode, insecure, isSluiceError, plain, SluiceError } from "../../errors/index.ts"

/** What the server says begins with a word in capitals; what goes wrong on the way does not. */
const reply = /^-?([A-Z][A-Z0-9]+)(?: |$)/
/** What a command inside the script was refused with stands behind the script's own word, and before 7 in the midst of a sentence. */
const inner =
  /^-?ERR (?:.*\b(?:running script|user_script)\b.*?: ?)?-?(OOM|READONLY|WRONGTYPE|MISCONF|NOREPLICAS|MASTERDOWN|NOPERM|CLUSTERDOWN)\b/s
const denial =
  /ACL failure|user executing the script|AUTH .*without any password|invalid password|no password is set|can't run this command/i

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  LOADING: ["store_unavailable", "expected an answer, but the server is still reading its data; try again"],
  BUSY: ["store_unavailable", "expected an answer, but the server is busy with a script; try again"],
  READONLY: ["store_unavailable", "expected to write, but this server is a replica now; try again, or name the primary"],
  MASTERDOWN: ["store_unavailable", "expected to write, but this replica has lost its primary; try again"],
  MISCONF: ["store_unavailable", "expected to write, but the server takes no writes because it cannot save; look at its disk and its log"],
  NOREPLICAS: ["store_unavailable", "expected to write, but too few replicas follow (min-replicas-to-write); try again when they do"],
  CLUSTERDOWN: ["store_unavailable", "expected an answer, but the cluster does not serve this namespace's slot; try again"],
  TRYAGAIN: ["store_unavailable", "expected an answer, but this namespace's slot is being moved to another node; try again"],
  ASK: ["store_unavailable", "expected an answer, but this namespace's slot is being moved to another node; try again"],
  MOVED: ["store_unavailable", "expected the node that has this namespace, but it has moved on; try again"],
  OOM: [
    "store_full",
    "expected room for the write, but the server is at its maxmemory; nothing was written. Raise maxmemory, or shorten the retention",
  ],
  WRONGTYPE: ["store_damaged", "expected keys as they were written, but something else stands under one of them; restore a backup"],
}

/** The word that the server has refused with; null where the error is not the server's. */
export function refusalOf(error: unknown): string | null {
  const message = String((error as Error | null)?.message)
  const word = reply.exec(message)?.[1] ?? null
  return word === null ? null : (inner.exec(message)?.[1] ?? word)
}

/** The client has noticed by itself that it has no connection, and sent nothing. */
export function isUnsent(error: unknown): boolean {
  return /^The client is (closed|offline)$/.test(String((error as Error | null)?.message))
}

/** Who asks may not: asking again does not help. */
export function isDenied(error: unknown): boolean {
  const word = refusalOf(error)
  if (word === "NOAUTH" || word === "WRONGPASS" || word === "NOPERM") return true
  return word === "ERR" && denial.test((error as Error).message)
}

export function translate(error: unknown, place: string): Error {
  if (isSluiceError(error)) return error
  const cause = error as Error
  const because = (code: ErrorCode, message: string) =>
    new SluiceError(code, `${place}: ${message} (${cut(plain(String(cause?.message)), 200)})`, { cause })
  if (isDenied(error))
    return because(
      "store_denied",
      "expected to be let in and to be allowed what a queue needs; check the user, the password and the user's rights",
    )
  const unsafe = insecure(error, place)
  if (unsafe) return unsafe
  const word = refusalOf(error)
  if (word === null)
    return because(
      "store_unavailable",
      "expected an answer, but the connection broke: whether it was carried out is not known. The same again does no harm",
    )
  const [code, message] = meanings[word] ?? []
  if (code !== undefined && message !== undefined) return because(code, message)
  if (/script/.test(cause.message)) return because("store_damaged", "expected the step to run through, but it failed inside the server")
  return because("store_unfit", "expected a server that knows this command")
}

// What the server's refusals, and a line that breaks, mean to a user of Sluice.

import { cut, type ErrorCode, insecure, plain, SluiceError } from "../../errors/index.ts"
import type { Reply } from "./client.ts"

/** The line broke, or nobody answered in time: whether it was carried out is not known. */
export class LostReply extends Error {}

/** Servers that are busy or have stumbled: the same may succeed later. */
export function isPassing({ status }: Reply): boolean {
  return status === 429 || status >= 500
}

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  NoSuchBucket: ["store_unfit", "expected a bucket of this name, but there is none; create it, or correct the URL"],
  InvalidAccessKeyId: ["store_denied", "expected a known access key; check AWS_ACCESS_KEY_ID or the profile"],
  SignatureDoesNotMatch: ["store_denied", "expected a signature that fits; check the secret access key and the region"],
  ExpiredToken: ["store_denied", "expected a session token that is still valid; renew it"],
  AccessDenied: [
    "store_denied",
    "expected to be allowed s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket for this prefix; check the policy",
  ],
  PermanentRedirect: ["store_unfit", "expected the bucket in this region; name its region in the URL (region=…)"],
  AuthorizationHeaderMalformed: ["store_unfit", "expected the bucket's region; name it in the URL (region=…)"],
  NotImplemented: ["store_unfit", "expected a server that knows this request"],
  QuotaExceeded: ["store_full", "expected room for the write, but the quota is used up; nothing was written"],
  EntityTooLarge: ["store_full", "expected room for the write, but the server takes no objects of this size; nothing was written"],
}

export function refused(place: string, reply: Reply): SluiceError {
  const text = Buffer.from(reply.body).toString("utf8")
  const word = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? (reply.status === 403 ? "AccessDenied" : `HTTP ${reply.status}`)
  const told = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? ""
  const [code, message] = meanings[word] ?? (isPassing(reply) ? busy : unexpected)
  return new SluiceError(code, `${place}: ${message} (${cut(plain(`${word}${told === "" ? "" : `: ${told}`}`), 200)})`)
}

const busy = ["store_unavailable", "expected an answer, but the server is busy or has stumbled; try again"] as const
const unexpected = ["store_unfit", "expected a server that speaks S3"] as const

export function absent(place: string, cause: unknown): SluiceError {
  const unsafe = insecure(cause, place)
  if (unsafe) return unsafe
  return new SluiceError(
    "store_unavailable",
    `${place}: expected an answer, but none came: whether it was carried out is not known. The same again does no harm (${cut(plain(reasonOf(cause)), 200)})`,
    { cause },
  )
}

/** What is at the bottom: above it stands only that something failed. */
function reasonOf(cause: unknown): string {
  const { message, cause: deeper, code } = cause as Error & { readonly code?: unknown }
  if (deeper instanceof Error) return reasonOf(deeper)
  return message === "" && typeof code === "string" ? code : String(message)
}

export function damaged(place: string, key: string, what: string): SluiceError {
  return new SluiceError("store_damaged", `${place}: ${key}: ${what}; restore the object, or remove the namespace to begin anew`)
}

export function closed(place: string): SluiceError {
  return new SluiceError("store_closed", `${place}: expected an open store, but it was closed`)
}

// A connection that could not be made secure (TLS): nothing of ours was sent on it, and no time mends it.

import { SluiceError } from "./error.ts"
import { cut, plain } from "./plain.ts"
import type { ErrorCode } from "./table.ts"

const untrusted = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_|ERR_TLS_CERT)/
/** The library of TLS has files and lines of its own in the message. */
const speechless = /wrong version number|packet length too long|unknown protocol|http request/i

/** What it means and what to do; null where it was something else. `authority`: where one names one's own. */
export function insecure(error: unknown, place: string, authority = "NODE_EXTRA_CA_CERTS"): SluiceError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { readonly code?: unknown }
    if (typeof code !== "string") continue
    const [meant, expected] = meaningOf(code, cause.message, authority) ?? []
    if (meant === undefined) continue
    const told = speechless.exec(cause.message)?.[0] ?? cut(plain(cause.message), 200)
    return new SluiceError(meant, `${place}: expected ${expected} (${told})`, { cause: error })
  }
  return null
}

function meaningOf(code: string, message: string, authority: string): readonly [ErrorCode, string] | null {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return ["store_denied", "a certificate for the host of the URL, but it is for another; use the name that it is for"]
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return ["store_denied", "a certificate that is valid now; renew it, or put this machine's clock right"]
  if (untrusted.test(code)) return ["store_denied", `a certificate that can be trusted; name the file of its authority by ${authority}`]
  if ((code === "EPROTO" || code.startsWith("ERR_SSL_")) && speechless.test(message))
    return ["store_unfit", "a server that speaks TLS, but it does not; take the URL's scheme without it, or set it up there"]
  return null
}

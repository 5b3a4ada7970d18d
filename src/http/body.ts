// The body of a request as text, no more of it than is allowed: what is longer is not even read.

import { SluiceError } from "../errors/index.ts"
import { formatSize } from "../units/index.ts"

export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const told = Number(request.headers.get("content-length") ?? 0)
  if (told > maxBytes) throw tooLarge(maxBytes)
  if (!request.body) return ""
  // What is told to be short is read at once; the server lets nobody send more than he has told.
  const bytes =
    told > 0 && !request.headers.has("transfer-encoding")
      ? new Uint8Array(await request.arrayBuffer())
      : await collected(request.body, maxBytes)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new SluiceError("invalid_input", "body: expected UTF-8, got something else", { cause })
  }
}

async function collected(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): SluiceError {
  return new SluiceError("request_too_large", `body: expected at most ${formatSize(maxBytes)}; send it in pieces`)
}

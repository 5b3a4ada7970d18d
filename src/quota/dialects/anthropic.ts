// Anthropic: anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{limit,remaining,reset}. Token buckets; a reset is
// the RFC 3339 time at which it is full again. Its 529 is an overload of the service, which the status alone shows.

import { type Dialect, toldOf } from "../answer.ts"
import { readThree } from "./three-headers.ts"

const names = ["requests", "tokens", "input-tokens", "output-tokens"]

export const anthropic: Dialect = (answer) => toldOf(names.map((name) => readThree(answer, `anthropic-ratelimit-${name}-`, { name })))

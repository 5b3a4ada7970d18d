export { formatCursor, parseCursor } from "./cursor.ts"
export { type Duration, formatDuration, formatSeconds, parseDuration, parseSeconds } from "./duration.ts"
export { clampInstant, formatInstant, type Instant, parseInstant } from "./instant.ts"
export { canonicalJson, parseJson, toJson } from "./json.ts"
export { logFields, logText } from "./log-fields.ts"
export { parseFreeName, parseKey, parseName } from "./name.ts"
export {
  anything,
  listOf,
  nearest,
  oneOf,
  onlyOne,
  orNull,
  type Reader,
  type Readers,
  readOptions,
  wholeNumber,
  yesOrNo,
} from "./options.ts"
export { formatRate, parseRate, type Rate } from "./rate.ts"
export { formatSize, parseSize, type Size } from "./size.ts"
export { maskPassword } from "./url.ts"

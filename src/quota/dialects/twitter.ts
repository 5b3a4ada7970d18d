// X (Twitter): x-rate-limit-{limit,remaining,reset}, with a dash more than others. The reset is an epoch in seconds.

import { type Dialect, toldOf } from "../answer.ts"
import { readThree } from "./three-headers.ts"

export const twitter: Dialect = (answer) => toldOf([readThree(answer, "x-rate-limit-")])

// The shared vectors: what each provider admits and when it opens again, in numbers that can be checked by hand. Every way to run the
// algebra is held to them: TypeScript in the unit test beside this file, Lua in test/redis.

import { readFileSync } from "node:fs"
import { type GatePolicy, neverUs } from "../../src/limits/index.ts"
import type { Played, Trace } from "../redis/player.ts"

interface Admission {
  readonly atUs: number
  readonly cost: number
  readonly leaseUs?: number
  readonly passes?: true
  readonly opensAtUs?: number
  readonly never?: true
}

export interface Vector {
  readonly name: string
  readonly policy: GatePolicy
  readonly admissions: readonly Admission[]
}

export const vectors = JSON.parse(readFileSync("test/vectors/gates.json", "utf8")) as readonly Vector[]

export function traceOf({ policy, admissions }: Vector): Trace {
  return {
    policy,
    steps: admissions.map(({ atUs, cost, leaseUs }, i) => ({
      kind: "admit",
      atUs,
      passage: { id: `t${i}`, fence: 1, cost, untilUs: atUs + (leaseUs ?? 60_000_000) },
    })),
  }
}

/** Of each admission: when it is told to come again, null where it passes. */
export const expectedOf = ({ admissions }: Vector) => admissions.map(({ opensAtUs, never }) => (never ? neverUs : (opensAtUs ?? null)))

export const toldBy = (played: readonly Pick<Played, "atUs">[]) => played.map(({ atUs }) => atUs ?? null)

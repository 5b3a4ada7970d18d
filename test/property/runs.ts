// How often properties are tried. In `npm test` with one seed for all, so that a change is judged by what it changes; whoever
// hunts gives SLUICE_PROPERTY_RUNS, and gets other seeds each time, or SLUICE_PROPERTY_SEED.

import fc from "fast-check"

const wanted = Number(process.env.SLUICE_PROPERTY_RUNS)
const isHunt = Number.isSafeInteger(wanted) && wanted > 0
const seed = Number(process.env.SLUICE_PROPERTY_SEED)

if (Number.isSafeInteger(seed) && seed !== 0) fc.configureGlobal({ seed })
else if (!isHunt) fc.configureGlobal({ seed: 20_261_116 })

/** Runs of a property: the given number in `npm test`, more on demand. */
export function runs(usual: number): number {
  return isHunt ? wanted : usual
}

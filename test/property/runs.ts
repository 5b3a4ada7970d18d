/** Runs of a property: the given number in `npm test`, more on demand. */
export function runs(usual: number): number {
  const wanted = Number(process.env.SLUICE_PROPERTY_RUNS)
  return Number.isSafeInteger(wanted) && wanted > 0 ? wanted : usual
}

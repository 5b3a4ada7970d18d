// The steps as they are compiled for records that have to be waited for: each answers with a promise of what its type says. Whoever
// runs them awaits them.
export * from "../steps.ts"

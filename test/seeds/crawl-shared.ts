// What four processes share: a limit with the seed's numbers a hundred times as small. All that may be under way at once are so many
// that each process has its part of them.

export const shared = {
  processes: 4,
  concurrencyOfOne: 2,
  concurrency: 8,
  baseMs: 5,
  stepMs: 10,
  linear: { step: "10ms", minDelay: "5ms", max: "600ms", probeAfter: 1_000, slotEvery: "10s", maxRetries: null },
} as const

// Numbers with names: the places of the live array, and where a task stands.

/** Places of the live array, as layout.ts names them. */
// biome-ignore lint/suspicious/noConstEnum: in Lua these are numbers then, where they would be looked up each time
export const enum Live {
  status = 0,
  seq = 1,
  type = 2,
  createdAtMs = 3,
  availableAtMs = 4,
  readyAtMs = 5,
  version = 6,
  priority = 7,
  standing = 8,
  lane = 9,
  expiresAtMs = 10,
  jobId = 11,
  flow = 12,
  gates = 13,
  forecastAtMs = 14,
  fence = 15,
  attempt = 16,
  updatedAtMs = 17,
  startedAtMs = 18,
  workerId = 19,
  claimNumber = 20,
  leaseExpiresAtMs = 21,
  lastOutcome = 22,
  past = 23,
  output = 24,
  completedAtMs = 25,
  progress = 26,
  retryCount = 27,
  rescheduleCount = 28,
  throttleCount = 29,
  crashCount = 30,
  cancelRequestedAtMs = 31,
  expiredAtMs = 32,
  lastError = 33,
}

/** Where a pending task stands in its lane: in no lane, in the list of those that came in order, or among the sorted. */
// biome-ignore lint/suspicious/noConstEnum: as above
export const enum Standing {
  none = 0,
  inOrder = 1,
  sorted = 2,
}

// A module that loads and has no tasks.

export const answer = 42

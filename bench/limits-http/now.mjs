// The time with fractions of a millisecond, the same in every process of one machine to well below one.
export const nowMs = () => performance.timeOrigin + performance.now()

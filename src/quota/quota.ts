// What a provider's response says about its quota, whatever dialect it said it in. All of it is the provider's word, kept
// within the caps; what is missing, malformed or out of reason is null.

export interface Quota {
  /**
   * What is counted: "requests" unless the provider says otherwise ("tokens", "input-tokens", "output-tokens",
   * "concurrent-requests", "points"), or the policy's own name.
   */
  readonly name: string
  readonly limit: number | null
  readonly remaining: number | null
  /** From the response on: until the window resets (fixed), or until it is full again (bucket). */
  readonly resetMs: number | null
  /** How long a window is; for a bucket, how long it takes to fill from empty. */
  readonly windowMs: number | null
  /** The provider's id of what is counted together, where it names one: Discord's bucket, GitHub's resource, a partition key. */
  readonly bucket: string | null
}

/** `other` is a refusal that no limit caused, such as a lock that was not had in time. */
export type Reason = "rate" | "concurrency" | "overload" | "other"

/** Whose use ran it out: `shared` with others, who may have used it up. */
export type Scope = "own" | "shared"

export interface Heard {
  readonly status: number
  /** The provider will not do this now, and would later. */
  readonly isRefused: boolean
  /** Why it was refused; null where it was not. */
  readonly reason: Reason | null
  readonly scope: Scope | null
  /** What the response asks for by itself, refused or not. */
  readonly retryAfterMs: number | null
  readonly quotas: readonly Quota[]
}

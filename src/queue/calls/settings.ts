// How limits outside the queue behave: options of the connection, else the environment, else the defaults.

import { SluiceError, shown } from "../../errors/index.ts"
import { type Duration, oneOf, parseDuration, readOptions } from "../../units/index.ts"
import { callDefaults } from "../defaults.ts"

export interface CallsOptions {
  /** How long a call waits in line; "30s" by default. */
  readonly wait?: Duration
  /** How long a slot is held without a sign of life; "30s" by default. */
  readonly lease?: Duration
  /** While the store is out of reach: "share" goes on with this process's share, "refuse" refuses. */
  readonly fallback?: "share" | "refuse"
  /** How long a process may use its share after the store has last heard of it; "2m" by default. */
  readonly fallbackFor?: Duration
}

export interface CallsSettings {
  readonly waitMs: number
  readonly leaseMs: number
  readonly fallback: "share" | "refuse"
  readonly fallbackForMs: number
}

/** Of each option. */
export const callsReaders = { wait: parseDuration, lease: parseDuration, fallback: oneOf("share", "refuse"), fallbackFor: parseDuration }

/** The variable of each option. */
export const callsEnvironment = {
  wait: "SLUICE_CALLS_WAIT",
  lease: "SLUICE_CALLS_LEASE",
  fallback: "SLUICE_CALLS_FALLBACK",
  fallbackFor: "SLUICE_CALLS_FALLBACK_FOR",
} as const satisfies Record<keyof CallsOptions, string>

type Environment = Readonly<Record<string, string | undefined>>

export function callsSettings(options?: CallsOptions, environment: Environment = process.env): CallsSettings {
  const given = readOptions("connect: calls", options, callsReaders)
  const set = <Name extends keyof typeof callsReaders>(name: Name) => {
    const text = environment[callsEnvironment[name]]
    if (given[name] !== undefined || !text) return given[name]
    return callsReaders[name](callsEnvironment[name], text === "0" ? 0 : text) as ReturnType<(typeof callsReaders)[Name]>
  }
  const settings: CallsSettings = {
    waitMs: set("wait") ?? callDefaults.waitMs,
    leaseMs: set("lease") ?? callDefaults.leaseMs,
    fallback: set("fallback") ?? callDefaults.fallback,
    fallbackForMs: set("fallbackFor") ?? callDefaults.fallbackForMs,
  }
  check(settings)
  return settings
}

function check({ leaseMs, fallbackForMs, fallback }: CallsSettings): void {
  if (leaseMs < 300) throw new SluiceError("invalid_option", `calls: lease: expected at least 300ms, got ${leaseMs}ms`)
  if (fallback === "share" && fallbackForMs < 2 * leaseMs)
    throw new SluiceError(
      "invalid_option",
      `calls: fallbackFor: expected at least twice the lease (${2 * leaseMs}ms), because a share is not used before a lease is over, got ${shown(fallbackForMs)}ms`,
    )
}

/** How long one call to the store may take: short enough that a lease can be renewed again before it ends. */
export function holdDeadlineMs({ leaseMs }: CallsSettings): number {
  return Math.min(5_000, Math.max(100, Math.floor(leaseMs / 3)))
}

/** What is kept in hand of a lease, so that a call has stopped before somebody else starts. */
export function marginMs({ leaseMs }: CallsSettings): number {
  return leaseMs / 6
}

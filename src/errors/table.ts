// Every error code there is, with the HTTP status and the exit code that it maps to. A mistake in what was asked exits
// with 2–9, a state of the world with 10 and above; 1 is left to the unexpected.

interface Meaning {
  readonly httpStatus: number
  readonly exitCode: number
  /** True where the same call may succeed later, unchanged. */
  readonly retryable: boolean
}

const mistake = (exitCode: number, httpStatus = 400): Meaning => ({ httpStatus, exitCode, retryable: false })
const passing = (exitCode: number, httpStatus = 503): Meaning => ({ httpStatus, exitCode, retryable: true })

export const errorTable = {
  invalid_option: mistake(2),
  invalid_duration: mistake(2),
  invalid_date: mistake(2),
  invalid_size: mistake(2),
  invalid_name: mistake(2),
  invalid_cursor: mistake(2),
  invalid_input: mistake(3),
  input_too_large: mistake(3, 413),
  batch_too_large: mistake(3, 413),
  schedule_after_expiry: mistake(3),
  idempotency_conflict: mistake(4, 409),
  illegal_transition: mistake(5, 409),
  job_ended: mistake(5, 409),
  not_found: mistake(6, 404),
  unknown_task_type: mistake(6, 404),
  invalid_module: mistake(7),
  unknown_store: mistake(8),
  missing_dependency: mistake(8),
  not_a_database: mistake(8),
  schema_too_new: mistake(8),
  store_closed: mistake(9, 503),
  store_unavailable: passing(10),
  store_full: passing(11, 507),
  timeout: passing(12, 504),
  cancelled: mistake(13, 409),
  lease_lost: passing(14, 409),
  shutdown: passing(15),
  reschedule: passing(1, 500),
  retryable: passing(1, 500),
  permanent: mistake(1, 500),
  rate_limited: passing(16, 429),
  invalid_rate: mistake(2),
  invalid_cron: mistake(2),
  invalid_timezone: mistake(2),
  invalid_cost: mistake(3),
  cost_above_limit: mistake(3),
  unknown_limit: mistake(6, 404),
  limit_conflict: mistake(4, 409),
  learned_meanwhile: passing(4, 409),
  store_damaged: mistake(17, 500),
  store_denied: mistake(8, 500),
  store_unfit: mistake(8, 500),
  data_lost: mistake(18, 500),
  unauthorized: mistake(8, 401),
  forbidden: mistake(8, 403),
  wrong_host: mistake(8, 421),
  method_not_allowed: mistake(2, 405),
  unsupported_media_type: mistake(2, 415),
  request_too_large: mistake(3, 413),
  too_many_requests: passing(16, 429),
} as const satisfies Record<string, Meaning>

export type ErrorCode = keyof typeof errorTable

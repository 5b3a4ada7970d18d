// One request to the server, and its answer as a value or as an error with the server's own words.

import { request } from "../browser.ts"
import { refuseToken, token } from "./token.ts"

export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly code: string
  readonly httpStatus: number

  constructor(httpStatus: number, code: string, message: string) {
    super(message)
    this.httpStatus = httpStatus
    this.code = code
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>

export function pathOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `api/v1/${path}${search === "" ? "" : `?${search}`}`
}

/** Of a name that may hold anything. */
export function segment(text: string): string {
  return encodeURIComponent(text)
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await answered(pathOf(path, query), { method: "GET", ...(signal ? { signal } : {}) })).json()
}

export async function send<T>(method: "POST" | "PUT" | "DELETE", path: string, body: unknown = {}): Promise<T> {
  const headers = { "content-type": "application/json" }
  return (await answered(pathOf(path), { method, headers, body: JSON.stringify(body) })).json()
}

/** The response of a request that was granted. */
export async function answered(path: string, init: RequestInit): Promise<Response> {
  const authorization: Record<string, string> = token.value === null ? {} : { authorization: `Bearer ${token.value}` }
  const used = token.value
  const response = await request(path, { ...init, headers: { ...init.headers, ...authorization } })
  if (response.ok) return response
  // Another may have been given while this one was on its way.
  if (response.status === 401 && used === token.value) refuseToken()
  throw await errorOf(response)
}

async function errorOf(response: Response): Promise<ApiError> {
  const document = (await response.json().catch(() => null)) as { error?: { code?: unknown; message?: unknown } } | null
  const { code, message } = document?.error ?? {}
  const text = typeof message === "string" ? message : `expected an answer, got status ${response.status}`
  return new ApiError(response.status, typeof code === "string" ? code : "internal", text)
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return "The server cannot be reached. What you see may be old; it is asked again by itself."
}

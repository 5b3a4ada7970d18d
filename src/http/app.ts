// The API as one function from request to response: mountable in any server. Every request goes the same way: is it for this server, is it
// too much, may it be asked by whoever asks, is it what the route expects; and only then is it carried out.

import type { HttpBindings } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { SluiceError, shown } from "../errors/index.ts"
import type { Queue } from "../queue/index.ts"
import { parseJson } from "../units/index.ts"
import { errorAnswer, issuesText, jsonAnswer } from "./answers.ts"
import { type Role, Tokens } from "./auth.ts"
import { readBody } from "./body.ts"
import { eventStream } from "./events.ts"
import { checkContentType, checkOrigin, Hosts, securityHeaders } from "./guards.ts"
import { Page } from "./page.ts"
import { type Realm, Realms } from "./realm.ts"
import { RequestRate, TooManyRequests } from "./request-rate.ts"
import type { Asked, Route } from "./route.ts"
import { routes } from "./routes/index.ts"
import type { HttpSettings } from "./server-options.ts"
import type { Interest } from "./watcher.ts"

type Env = { Bindings: Partial<HttpBindings> }
type Ctx = Context<Env>

export interface HttpAppParts {
  readonly queue: Queue
  readonly namespace: string
  /** Opens other namespaces; null: only that of the queue is served. */
  readonly open: ((namespace: string) => Promise<Queue>) | null
  readonly settings: HttpSettings
}

export class HttpApp {
  readonly realms: Realms
  /** From a request to its response, as servers of any kind take it. */
  readonly fetch: (request: Request, bindings?: Partial<HttpBindings>) => Promise<Response>
  private readonly queue: Queue
  private readonly settings: HttpSettings
  private readonly hosts: Hosts
  private readonly tokens: Tokens
  private readonly rate: RequestRate
  /** Nothing of the dashboard is read where it is not sent. */
  private readonly page: Page | null
  private streams = 0
  /** Requests that are not answered yet; a stream is answered when it begins. */
  private underWay = 0
  private becameIdle = () => {}

  constructor({ queue, namespace, open, settings }: HttpAppParts) {
    this.queue = queue
    this.settings = settings
    this.hosts = new Hosts(settings.hosts)
    this.tokens = new Tokens(settings)
    this.rate = new RequestRate(settings.requestsPerSecond, queue.world)
    this.page = settings.dashboard ? new Page(queue.world) : null
    this.realms = new Realms(queue, { namespace, open, redact: settings.redact, metrics: settings.metrics })
    const hono = this.makeHono()
    this.fetch = async (request, bindings = {}) => {
      this.underWay++
      try {
        return await hono.fetch(request, bindings)
      } finally {
        if (--this.underWay === 0) this.becameIdle()
      }
    }
  }

  /** Samples of the last hour are taken from now on, where a dashboard may ask for them. */
  start(): void {
    if (this.page === null) return
    const { samples, courses } = this.realms.default.watcher
    samples.start()
    courses.start()
  }

  /** Live views and long polls end at once; what else is under way ends by itself. */
  async close(): Promise<void> {
    await this.realms.stop()
    if (this.underWay > 0)
      await new Promise<void>((resolve) => {
        this.becameIdle = resolve
      })
    await this.realms.close()
  }

  get openStreams(): number {
    return this.streams
  }

  private makeHono(): Hono<Env> {
    const hono = new Hono<Env>()
    hono.use(async (context, next) => {
      this.hosts.check(context.req.header("host") ?? null)
      this.rate.check(clientOf(context))
      await next()
    })
    for (const route of routes) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1")
      hono.on(route.method.toUpperCase(), path, (context) => this.answer(route, context))
    }
    const { page } = this
    if (page !== null) {
      hono.get("/assets/:name", (context) => page.answerFile(context.req.param("name")) ?? context.notFound())
      hono.get("/", () => page.answerIndex())
    }
    hono.notFound((context) => this.refuse(context, notFound(context)))
    hono.onError((error, context) => this.refuse(context, error))
    return hono
  }

  private async answer(route: Route, context: Ctx): Promise<Response> {
    const { headers, signal } = context.req.raw
    const role = this.tokens.check(headers.get("authorization"), route.access)
    checkOrigin(route.method, headers)
    checkContentType(route.method, headers)
    const params = checked("path", route.params, context.req.param())
    const query = checked("query", route.query, queryOf(context))
    const body = route.method === "get" ? {} : checked("body", route.body, await this.bodyOf(context))
    const realm = await this.realms.find(headers.get("sluice-namespace"))
    const by = `http (${role === null ? "nobody" : role})`
    const asked = { params, query, body, realm, queue: realm.queue, signal, by, role, needsToken: this.settings.token !== null } as Asked<
      never,
      never,
      never
    >
    try {
      const answer = await route.handle(asked)
      if (route.isAudited === true) this.audit(route, context, { role, realm, params, body, error: null })
      return route.media === "text/event-stream" ? this.stream(realm, answer as Interest) : this.document(route, realm, answer)
    } catch (error) {
      if (route.isAudited === true) this.audit(route, context, { role, realm, params, body, error })
      throw error
    }
  }

  private document(route: Route, realm: Realm, answer: unknown): Response {
    if (route.media !== undefined) return new Response(answer as string, { headers: { ...securityHeaders, "content-type": route.media } })
    const status = route.status ?? 200
    // Workers and clients of the store get what is stored; people get what may be shown.
    if (route.tag !== "store" && route.tag !== "workers") return jsonAnswer(status, realm.redact(answer))
    const { news } = realm.watcher
    return jsonAnswer(status, answer, route.tag === "store" ? { "sluice-news": `${news.instance}:${news.count}` } : {})
  }

  private stream(realm: Realm, interest: Interest): Response {
    const { maxStreams } = this.settings
    if (this.streams >= maxStreams)
      throw new TooManyRequests(5, `expected at most ${maxStreams} live views at once; close one, or raise maxStreams`)
    this.streams++
    const body = eventStream(realm.watcher, interest, this.queue.world, () => {
      this.streams--
    })
    return new Response(body, {
      headers: { ...securityHeaders, "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
    })
  }

  private async bodyOf(context: Ctx): Promise<unknown> {
    const text = await readBody(context.req.raw, this.settings.maxBodyBytes)
    return text === "" ? {} : parseJson("body", text)
  }

  private audit(
    route: Route,
    context: Ctx,
    told: { role: Role | null; realm: Realm; params: unknown; body: unknown; error: unknown },
  ): void {
    const { role, realm, params, error } = told
    const fields = {
      operation: `${route.method.toUpperCase()} ${route.path}`,
      by: role ?? "nobody",
      client: clientOf(context),
      namespace: realm.namespace,
      ...(params as object),
      ...subjectOf(told.body),
      result: error === null ? "ok" : error instanceof SluiceError ? error.code : "internal",
    }
    this.settings.log({ level: "info", event: "audit", fields })
  }

  private refuse(context: Ctx, error: unknown): Response {
    const { response, isUnexpected } = errorAnswer(error)
    if (isUnexpected) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      this.settings.log({
        level: "error",
        event: "http.error",
        fields: { method: context.req.method, path: context.req.path, error: message },
      })
    }
    return response
  }
}

function clientOf(context: Ctx): string {
  return context.env.incoming?.socket?.remoteAddress ?? "unknown"
}

/** What the change was about, without payloads. */
const subjects = ["task_type", "name", "key", "rate", "concurrency", "until", "ids", "filter", "cron", "job_id"]

function subjectOf(body: unknown): Record<string, unknown> {
  const given = typeof body === "object" && body !== null ? Object.entries(body) : []
  const told = given.filter(([name]) => subjects.includes(name))
  const tasks = given.find(([name]) => name === "tasks")?.[1]
  return { ...Object.fromEntries(told), ...(Array.isArray(tasks) ? { tasks: tasks.length } : {}) }
}

/** A parameter that is said twice would be read by whoever comes first or last: neither is meant. */
function queryOf(context: Ctx): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URL(context.req.url).searchParams) {
    if (Object.hasOwn(query, name)) throw new SluiceError("invalid_option", `query: expected ${shown(name)} once, got it twice`)
    Object.defineProperty(query, name, { value, enumerable: true })
  }
  return query
}

function checked(where: string, schema: Route["body"], value: unknown): unknown {
  if (!schema) {
    const unexpected = Object.keys(value as object)[0]
    if (unexpected === undefined) return {}
    throw new SluiceError("invalid_option", `${where}: expected nothing, got ${shown(unexpected)}`)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new SluiceError("invalid_option", issuesText(where, result.error.issues))
}

/** A path that is there with another method is told apart from one that is not there. */
function notFound(context: Ctx): SluiceError {
  const { method, path } = context.req
  const parts = path.split("/")
  const methods = routes.filter((route) => {
    const own = route.path.split("/")
    return own.length === parts.length && own.every((part, i) => part.startsWith("{") || part === parts[i])
  })
  if (methods.length === 0) return new SluiceError("not_found", `expected a path of /openapi.json, got ${shown(path)}`)
  const known = methods.map((one) => one.method.toUpperCase()).join(", ")
  return new SluiceError("method_not_allowed", `${shown(path)}: expected ${known}, got ${shown(method)}`)
}

// A store at the other end of a TCP connection, for tests: every operation of the contract is one line of JSON each way. A line that
// breaks fails every call that is under way on it; the next call connects anew.

import { connect, createServer, type Server, type Socket } from "node:net"
import { isSluiceError, SluiceError } from "../../../../src/index.ts"
import { operations, type Store } from "../../../../src/store/index.ts"

interface Asked {
  readonly number: number
  /** An operation, "wait", or "stop": whoever waits under that number is woken. */
  readonly operation: string
  readonly request: unknown
}

interface Answered {
  readonly number: number
  readonly answer?: unknown
  readonly error?: { readonly code: string | null; readonly message: string }
}

export function serveStore(store: Store): Server {
  return createServer((socket) => {
    const waits = new Map<number, AbortController>()
    socket.on("error", () => {})
    socket.on("close", () => {
      for (const wait of waits.values()) wait.abort()
    })
    onLines(socket, async (line) => {
      const { number, operation, request } = JSON.parse(line) as Asked
      if (operation === "stop") return waits.get(number)?.abort()
      const answered = await answerTo(store, operation, request, number, waits).then(
        (answer): Answered => ({ number, answer }),
        (error): Answered => ({ number, error: { code: isSluiceError(error) ? error.code : null, message: String(error) } }),
      )
      if (!socket.destroyed) socket.write(`${JSON.stringify(answered)}\n`)
    })
  })
}

function onLines(socket: Socket, take: (line: string) => unknown): void {
  let text = ""
  socket.setEncoding("utf8").on("data", (more) => {
    const lines = (text + more).split("\n")
    text = lines.pop() ?? ""
    for (const line of lines) take(line)
  })
}

async function answerTo(store: Store, operation: string, request: unknown, number: number, waits: Map<number, AbortController>) {
  if (operation !== "wait") return (store[operation as "now"] as (request: unknown) => Promise<unknown>)(request)
  const stop = new AbortController()
  waits.set(number, stop)
  await store.wait(request as { workerId: string }, stop.signal)
  waits.delete(number)
}

interface Pending {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** The store at that port, as a process sees it. */
export function wiredStore(port: number): Store {
  let socket: Socket | null = null
  let made = 0
  const pending = new Map<number, Pending>()

  const line = (): Socket => {
    if (socket && !socket.destroyed) return socket
    const opened = connect(port, "127.0.0.1")
    opened.on("error", () => {})
    opened.on("close", () => {
      if (socket === opened) socket = null
      for (const { reject } of pending.values()) reject(new SluiceError("store_unavailable", "store: the connection is broken"))
      pending.clear()
    })
    onLines(opened, (text) => {
      const { number, answer, error } = JSON.parse(text) as Answered
      const call = pending.get(number)
      pending.delete(number)
      if (error) call?.reject(error.code ? new SluiceError(error.code as "store_unavailable", error.message) : new Error(error.message))
      else call?.resolve(answer)
    })
    socket = opened
    return opened
  }
  const ask = (operation: string, request: unknown, number = ++made) => {
    const answered = new Promise<unknown>((resolve, reject) => pending.set(number, { resolve, reject }))
    line().write(`${JSON.stringify({ number, operation, request } satisfies Asked)}\n`)
    return answered
  }
  const wait: Store["wait"] = async (request, signal) => {
    const number = ++made
    const stop = () => {
      socket?.write(`${JSON.stringify({ number, operation: "stop", request: null } satisfies Asked)}\n`)
      pending.get(number)?.resolve(null)
      pending.delete(number)
    }
    signal.addEventListener("abort", stop, { once: true })
    try {
      if (!signal.aborted) await ask("wait", request, number)
    } finally {
      signal.removeEventListener("abort", stop)
    }
  }
  const asked = Object.fromEntries(operations.map((operation) => [operation, (request: unknown) => ask(operation, request)]))
  return { ...asked, kind: "wire", wait, close: async () => void socket?.destroy() } as unknown as Store
}

// The seam of the page: clock, timers, chance, network and what a tab keeps are touched here and nowhere else. Everything that is asked for
// is on the server that the page came from.

export type Cancel = () => void

export function wallMs(): number {
  return Date.now()
}

export function chance(): number {
  return Math.random()
}

export function after(delayMs: number, run: () => void): Cancel {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

export function every(periodMs: number, run: () => void): Cancel {
  const timer = setInterval(run, periodMs)
  return () => clearInterval(timer)
}

/** Relative to the page, so that it works wherever the server is mounted. */
export function request(path: string, init: RequestInit): Promise<Response> {
  return fetch(new URL(path, document.baseURI), { ...init, credentials: "omit", cache: "no-store", redirect: "error" })
}

/** Storage may be forbidden: then nothing is kept, and everything else works. */
function stored(kind: "localStorage" | "sessionStorage", name: string) {
  return {
    read(): string | null {
      try {
        return window[kind].getItem(name)
      } catch {
        return null
      }
    },
    write(value: string | null): void {
      try {
        if (value === null) window[kind].removeItem(name)
        else window[kind].setItem(name, value)
      } catch {}
    },
  }
}

/** Gone with the tab. It is never part of an address. */
export const keptToken = stored("sessionStorage", "sluice.token")
export const keptTheme = stored("localStorage", "sluice.theme")

// Plain HTTP with connections that are kept: no more work in the client than a program in any language has.
import { Agent, request } from "node:http"

export class Client {
  constructor(url, connections) {
    this.url = new URL(url)
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Anything but the expected status is an error. */
  ask(method, path, body, expected = 200) {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const headers = sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }
    const { hostname: host, port } = this.url
    return new Promise((resolve, reject) => {
      const asked = request({ host, port, path, method, headers, agent: this.agent }, (response) => {
        const chunks = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === expected) resolve(JSON.parse(text))
          else reject(new Error(`${method} ${path}: expected ${expected}, got ${response.statusCode}: ${text.slice(0, 200)}`))
        })
      })
      asked.on("error", reject)
      asked.end(sent)
    })
  }

  close() {
    this.agent.destroy()
  }
}

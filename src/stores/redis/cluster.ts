// Which node of a cluster has a namespace. All keys of one namespace are in one slot, so one connection to that slot's primary is all that
// is needed; where the slot has moved on, the nodes are asked anew. A slot that is just being moved is not followed by ASK: half of the
// namespace would be here and half there.

import { SluiceError } from "../../errors/index.ts"
import type { Client, Connect } from "./driver.ts"
import { isDenied, refusalOf, translate } from "./errors.ts"
import { type Host, hostText } from "./location.ts"

export class Cluster {
  private readonly place: string
  private readonly connect: Connect
  private readonly key: string
  /** Those that were named, and first the one that has answered last. */
  private nodes: readonly Host[]

  constructor(place: string, nodes: readonly Host[], connect: Connect, key: string) {
    this.place = place
    this.nodes = nodes
    this.connect = connect
    this.key = key
  }

  async locate(): Promise<Host> {
    let cause: unknown = null
    for (const node of this.nodes) {
      try {
        const found = await this.ask(node)
        if (found) {
          this.nodes = [node, ...this.nodes.filter((other) => other !== node)]
          return found
        }
        cause = new Error(`${hostText(node)} knows no node for it`)
      } catch (error) {
        if (isDenied(error) || refusalOf(error) === "ERR") throw this.refused(error, node)
        cause = error
      }
    }
    throw cause
  }

  private async ask(node: Host): Promise<Host | null> {
    const client = await this.connect(node, () => {})
    try {
      return await primaryOf(client, node, this.key)
    } finally {
      client.destroy()
    }
  }

  private refused(error: unknown, node: Host): unknown {
    if (!/cluster support disabled/i.test(String((error as Error).message))) return isDenied(error) ? error : translate(error, this.place)
    return new SluiceError(
      "store_unfit",
      `${this.place}: expected nodes of a cluster, but ${hostText(node)} is a server of its own; name it alone, without cluster=true`,
      { cause: error },
    )
  }
}

type Slots = readonly (readonly [from: number, to: number, primary: readonly [host: Buffer | null, port: number]])[]

async function primaryOf(client: Client, asked: Host, key: string): Promise<Host | null> {
  const [slot, slots] = (await Promise.all([client.send(["CLUSTER", "KEYSLOT", key]), client.send(["CLUSTER", "SLOTS"])])) as [
    number,
    Slots,
  ]
  const [, , primary] = slots.find(([from, to]) => from <= slot && slot <= to) ?? []
  if (!primary) return null
  // A node that does not know its own name is where it was asked.
  const host = primary[0]?.toString() || asked.host
  return { host: host === "?" ? asked.host : host, port: primary[1] }
}

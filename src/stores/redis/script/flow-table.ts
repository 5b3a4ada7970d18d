// Flows as they are kept: the virtual time of each, and where it stands, ready and at gates.

import { ready } from "../../../store/claim.ts"
import type { Context } from "./context.ts"
import { flowMember, flowName } from "./places.ts"
import { cmsgpack, redis } from "./server.ts"
import type { Writes } from "./writes.ts"

export interface Flow {
  readonly type: string
  readonly flow: string
  readonly name: string
  virtualTime: number
  /** As it stands where flows are ready; false where it does not. */
  member: string | false
  /** At how many gates it stands. */
  waiting: number
}

/** Virtual time, how many gates it stands at, its member. */
type StoredFlow = [number, number, string | false]

export class FlowTable {
  private readonly base: string
  private readonly key: string
  private readonly idleKey: string
  private readonly writes: Writes
  private readonly known: Record<string, Flow | undefined> = {}
  /** Members at gates, by gate and name. */
  private readonly atGates: Record<string, string | false | undefined> = {}

  constructor({ base }: Context, writes: Writes) {
    this.base = base
    this.key = `${base}flows`
    this.idleKey = `${base}flows-idle`
    this.writes = writes
  }

  /** Made with this virtual time if there is none. */
  flow(type: string, flow: string, virtualTime: number): Flow {
    const name = flowName(type, flow)
    const known = this.known[name]
    if (known !== undefined) return known
    const found = redis.call("HGET", this.key, `0:${name}`) as string | false
    const [time, waiting, member] = (found === false ? [virtualTime, 0, false] : cmsgpack.unpack(found)) as StoredFlow
    const made: Flow = { type, flow, name, virtualTime: time, member, waiting }
    this.known[name] = made
    return made
  }

  /** Members of the flows that stand there, best first. */
  standing(type: string, gate: number, skip: number, limit: number): string[] {
    const key = this.placeKey(type, gate)
    this.writes.settle(key)
    return redis.call("ZRANGE", key, skip, skip + limit - 1) as string[]
  }

  /** By the member of its best ready lane; undefined where it has none. */
  placeReady(flow: Flow, virtualTime: number, bestLane: string | undefined): void {
    const member = bestLane === undefined ? false : flowMember(bestLane, virtualTime, flow.flow)
    if (flow.virtualTime === virtualTime && flow.member === member) {
      // One that was made to be asked has to be kept as well.
      if (member === false) this.write(flow)
      return
    }
    this.movePlace(this.placeKey(flow.type, ready), flow.member, member)
    flow.virtualTime = virtualTime
    flow.member = member
    this.write(flow)
  }

  placeWaiting(flow: Flow, gate: number, bestLane: string | undefined): void {
    const field = `${gate}:${flow.name}`
    const before = this.memberOf(flow, gate)
    const member = bestLane === undefined ? false : flowMember(bestLane, flow.virtualTime, flow.flow)
    if (before === member) return
    this.movePlace(this.placeKey(flow.type, gate), before, member)
    this.atGates[field] = member
    if (member === false) this.writes.removeField(this.key, field)
    else this.writes.setField(this.key, field, member)
    if (before !== false && member !== false) return
    flow.waiting += member === false ? -1 : 1
    this.write(flow)
  }

  /** Drops idle flows that the present has reached: made anew, they would start at the same place. Answers how many. */
  forget(presentTime: number, limit: number): number {
    this.writes.settle(this.idleKey)
    const names = redis.call("ZRANGEBYSCORE", this.idleKey, "-inf", presentTime, "LIMIT", 0, limit) as string[]
    for (const name of names) {
      this.writes.removeField(this.key, `0:${name}`)
      this.writes.removeSorted(this.idleKey, name)
      this.known[name] = undefined
    }
    return names.length
  }

  /** By which it stands there; false where it does not. */
  memberOf(flow: Flow, gate: number): string | false {
    if (gate === ready) return flow.member
    const field = `${gate}:${flow.name}`
    const known = this.atGates[field]
    if (known !== undefined) return known
    const found = redis.call("HGET", this.key, field) as string | false
    this.atGates[field] = found
    return found
  }

  private movePlace(key: string, before: string | false, member: string | false): void {
    if (before !== false) this.writes.removeSorted(key, before)
    if (member !== false) this.writes.addSorted(key, 0, member)
  }

  private write(flow: Flow): void {
    const stored: StoredFlow = [flow.virtualTime, flow.waiting, flow.member]
    this.writes.setField(this.key, `0:${flow.name}`, cmsgpack.pack(stored))
    const isIdle = flow.member === false && flow.waiting === 0
    if (isIdle) this.writes.addSorted(this.idleKey, flow.virtualTime, flow.name)
    else this.writes.removeSorted(this.idleKey, flow.name)
  }

  private placeKey(type: string, gate: number): string {
    return `${this.base}flows:${gate}:${type}`
  }
}

// What can be done to a limit or to one of its gates. Every change is confirmed, says what it means for those who wait, and is logged by the
// server.

import { segment, send } from "../api/client.ts"
import type { GateDocument, LimitDocument, PolicyDocument, RatePolicyDocument } from "../api/documents.ts"
import { askFor, type Field } from "../parts/dialog.tsx"
import { notify } from "../parts/notices.tsx"
import { exactText } from "../text/duration.ts"
import { countedText } from "../text/number.ts"

/** A gate, or with "" for its key the limit as a whole. */
export interface Target {
  readonly limit: LimitDocument
  readonly gate: GateDocument
}

export function nameOf({ gate }: Target): string {
  return gate.key === "" ? gate.limit : gate.gate
}

async function change(target: Target, word: string, body: object, done: string): Promise<void> {
  const key = target.gate.key === "" ? {} : { key: target.gate.key }
  await send("POST", `limits/${segment(target.limit.name)}/${word}`, { ...key, ...body })
  notify(`${nameOf(target)}: ${done}.`)
}

function held({ limit, gate }: Target): string {
  return countedText(gate.key === "" ? limit.waiting_tasks : gate.waiting_tasks, "task")
}

export function askPause(target: Target): void {
  askFor({
    title: `Pause ${nameOf(target)}?`,
    text: `Nothing passes it until somebody resumes it; ${held(target)} wait there now. What runs goes on.`,
    verb: "Pause",
    isDanger: true,
    run: () => change(target, "pause", {}, "paused"),
  })
}

export function askResume(target: Target): void {
  askFor({
    title: `Resume ${nameOf(target)}?`,
    text: `Tasks pass it again, as fast as it allows; ${held(target)} wait there now.`,
    verb: "Resume",
    run: () => change(target, "resume", {}, "resumed"),
  })
}

export function askClose(target: Target): void {
  askFor({
    title: `Close ${nameOf(target)} for a while?`,
    text: "Nothing passes it until then; it opens by itself.",
    fields: [
      {
        name: "until",
        label: "Until",
        initial: "10m",
        hint: 'How long from now ("10m"), or a time with its zone ("2026-01-28T17:00:00Z")',
        isRequired: true,
      },
    ],
    verb: "Close",
    isDanger: true,
    run: ({ until }) => change(target, "close", { until }, "closed"),
  })
}

export function askReset(target: Target): void {
  askFor({
    title: `Reset ${nameOf(target)}?`,
    text: "Back to what the code says: no override, no pause, no closing, no cooldown.",
    verb: "Reset",
    isDanger: true,
    run: () => change(target, "reset", {}, "back to what the code says"),
  })
}

export function askForget(target: Target): void {
  askFor({
    title: `Forget what ${nameOf(target)} has learned?`,
    text:
      target.gate.key === ""
        ? "All of its gates begin anew, and may be refused before they have learned again."
        : "It begins anew, and may be refused before it has learned again.",
    verb: "Forget",
    isDanger: true,
    run: () => change(target, "forget", {}, "what it had learned is forgotten"),
  })
}

export function askEdit(target: Target): void {
  const { policy } = target.gate
  const { base_text: base } = target.limit
  askFor({
    title: `Edit ${nameOf(target)}`,
    text: `It holds at once, for those who wait as well. ${base === null ? "No live code declares it." : `The code says ${base}.`}`,
    fields: [
      ...rateFields(policy),
      {
        name: "concurrency",
        label: "At once",
        initial: policy.concurrency == null ? "" : String(policy.concurrency),
        hint: "How many run at the same time; empty: as the code says",
      },
      { name: "until", label: "Until", initial: "", hint: 'For how long it holds, such as "1h"; empty: until it is reset' },
    ],
    verb: "Set",
    run: (values) => change(target, "set", bodyOf(target, values), "set"),
  })
}

function rateFields({ rates = [] }: PolicyDocument): Field[] {
  const texts = rates.length === 0 ? [""] : rates.map(rateOf)
  return texts.map((initial, i) => ({
    name: `rate-${i}`,
    label: i === 0 ? "Rate" : `Rate ${i + 1}`,
    initial,
    ...(i === 0 ? { hint: 'Such as "10/10s" or "100/1m"; empty: as the code says' } : {}),
  }))
}

function rateOf({ limit, per_us }: RatePolicyDocument): string {
  return `${limit}/${exactText(per_us / 1_000)}`
}

/** What is as the code says stays with the code, so that a deploy can change it. How the other side counts is kept. */
function bodyOf({ limit, gate }: Target, values: Readonly<Record<string, string>>): object {
  const { rates = [] } = gate.policy
  const texts = Object.keys(values)
    .filter((name) => name.startsWith("rate-"))
    .map((name) => values[name] ?? "")
  const asked = texts.flatMap((text, i) => (text === "" ? [] : [rateBody(text, rates[i])]))
  const isBase = texts.filter((text) => text !== "").join() === (limit.base?.rates ?? []).map(rateOf).join()
  const concurrency = values.concurrency ?? ""
  if (concurrency !== "" && !/^\d{1,9}$/.test(concurrency)) throw new RangeError(`At once: expected a whole number, got "${concurrency}"`)
  return {
    ...(asked.length === 0 || isBase ? {} : { rate: asked.length === 1 ? asked[0] : asked }),
    ...(concurrency === "" || Number(concurrency) === limit.base?.concurrency ? {} : { concurrency: Number(concurrency) }),
    ...(values.until === "" ? {} : { until: values.until }),
  }
}

function rateBody(text: string, before: RatePolicyDocument | undefined): object | string {
  const [, count, per] = /^\s*(\d+)\s*\/\s*(\S.*)$/.exec(text) ?? []
  // Whatever else it is: the server says what it expects.
  if (count === undefined || per === undefined || before === undefined) return text
  const isCounted = /^\d/.test(per)
  return {
    limit: Number(count),
    per: isCounted ? per.trim() : `1${per.trim()}`,
    provider: before.provider,
    ...(before.provider === "bucket" ? { burst: before.burst } : {}),
  }
}

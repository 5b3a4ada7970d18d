// One limit: what the code says and what holds, its gates as they live, and what was changed about it.

import { useState } from "preact/hooks"
import { useAsked } from "../api/asked.ts"
import { get, segment } from "../api/client.ts"
import type { ChangeDocument, GatesPage, LimitDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { GateMark } from "../parts/gate-state.tsx"
import { Empty, Page, Panel } from "../parts/page.tsx"
import { Instant } from "../parts/when.tsx"
import { countText } from "../text/number.ts"
import { LimitActions } from "./limit-actions.tsx"
import { GatesTable } from "./limit-gates.tsx"

const shownChanges = 20

export function LimitPage({ name }: { readonly name: string }) {
  useLive({ topics: ["limits"], limits: [name] })
  const limits = latest<readonly LimitDocument[]>("limits").value
  const page = latest<GatesPage>("gates", name).value
  const limit = limits?.find((one) => one.name === name) ?? null
  if (limit === null)
    return (
      <Page title={name}>
        <Empty>{limits === null ? "Waiting for the server." : "There is no limit of this name."}</Empty>
      </Page>
    )
  return (
    <Page title={name} beside={<GateMark gate={limit.gate} />} actions={<LimitActions target={{ limit, gate: limit.gate }} />}>
      <Panel title="What holds">
        <dl class="facts">
          <dt>Now</dt>
          <dd>
            {limit.gate.policy_text} {limit.gate.is_overridden ? <span class="chip">set by hand</span> : null}
          </dd>
          <dt>In the code</dt>
          <dd>{limit.base_text ?? <span class="muted">no live code declares it</span>}</dd>
          <dt>Waiting</dt>
          <dd>
            {countText(limit.waiting_tasks)} <span class="muted">at {countText(limit.gate_count)} gates</span>
          </dd>
          <OverrideEnd limit={limit} />
        </dl>
      </Panel>
      <Gates limit={limit} page={page} />
      <Changes limit={limit} />
    </Page>
  )
}

function OverrideEnd({ limit }: { readonly limit: LimitDocument }) {
  const until = limit.settings[""]?.override_until ?? null
  if (until === null) return null
  return (
    <>
      <dt>Set until</dt>
      <dd>
        <Instant at={until} />
      </dd>
    </>
  )
}

/** The first of them are live; more are fetched as they are. */
function Gates({ limit, page }: { readonly limit: LimitDocument; readonly page: GatesPage | null }) {
  const [further, setFurther] = useState<{ readonly gates: GatesPage["gates"]; readonly cursor: string | null } | null>(null)
  if (page === null) return <Empty>Waiting for the server.</Empty>
  const cursor = further === null ? page.cursor : further.cursor
  const more = async () => {
    const next = await get<GatesPage>(`limits/${segment(limit.name)}/gates`, { limit: 200, cursor: cursor ?? undefined })
    setFurther((before) => ({ gates: [...(before?.gates ?? []), ...next.gates], cursor: next.cursor }))
  }
  const gates = [...page.gates, ...(further?.gates ?? [])]
  return (
    <section class="panel flush">
      <h2>
        Gates <span class="panel-note">{countText(gates.length)} shown</span>
      </h2>
      {gates.length === 0 ? <Empty>No task has passed it yet.</Empty> : <GatesTable limit={limit} gates={gates} courses={page.courses} />}
      {cursor === null ? null : (
        <button type="button" class="more" onClick={() => void more()}>
          Show more
        </button>
      )}
    </section>
  )
}

/** Asked anew when a setting has changed: then there is one more. */
function Changes({ limit }: { readonly limit: LimitDocument }) {
  const stamp = JSON.stringify([limit.settings, limit.base])
  const { value, error } = useAsked<{ changes: readonly ChangeDocument[] }>(
    "limits/changes",
    { limit: limit.name, count: shownChanges },
    stamp,
  )
  const changes = value?.changes ?? []
  return (
    <Panel title="Changes" note="newest first">
      {error === null ? null : <p class="alert">{error}</p>}
      {changes.length === 0 ? <Empty>Nothing was changed by hand.</Empty> : null}
      <ol class="log">
        {changes.map(({ number, at, text }) => (
          <li key={number}>
            <Instant at={at} /> <span class="breaks">{text}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

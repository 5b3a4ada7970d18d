// The numbers that somebody looks at first. Each leads to where more is told of it.

import type { ComponentChildren } from "preact"
import { nowMs } from "../api/clock.ts"
import type { Counts, OverviewDocument, SampleDocument } from "../api/documents.ts"
import { latest } from "../api/live.ts"
import { Link, TaskLink } from "../parts/link.tsx"
import { durationText } from "../text/duration.ts"
import { countedText, countText, rateText } from "../text/number.ts"

export function Tiles({ overview, last }: { readonly overview: OverviewDocument; readonly last: SampleDocument | null }) {
  const counts = latest<Counts>("counts").value ?? overview.counts
  const { oldest_waiting: oldest, live_workers: workers } = overview
  return (
    <dl class="tiles">
      <Tile name="Throughput" value={rateText(last?.completed ?? 0)}>
        completed, last 10s
      </Tile>
      <Tile name="Waiting" value={countText(counts.pending)}>
        <Link page="tasks" query={{ status: "pending" }}>
          pending tasks
        </Link>
      </Tile>
      <Tile name="Running" value={countText(counts.running)}>
        <Link page="workers">on {countedText(workers, "worker")}</Link>
      </Tile>
      <Tile name="Failed" value={countText(counts.failed)} tone={counts.failed > 0 ? "bad" : undefined}>
        <Link page="tasks" query={{ status: "failed" }}>
          failed tasks
        </Link>
      </Tile>
      <Tile name="Expired" value={countText(counts.expired)}>
        <Link page="tasks" query={{ status: "expired" }}>
          expired tasks
        </Link>
      </Tile>
      <Tile name="Oldest waiting" value={oldest === null ? "–" : durationText(Math.max(0, nowMs.value - Date.parse(oldest.since)))}>
        {oldest === null ? counts.pending === 0 ? "nothing waits" : "being looked for" : <TaskLink id={oldest.id} />}
      </Tile>
    </dl>
  )
}

interface TileProps {
  readonly name: string
  readonly value: string
  readonly tone?: "bad" | undefined
  readonly children: ComponentChildren
}

function Tile({ name, value, tone, children }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class={`tile-value ${tone === undefined ? "" : `tone-${tone}`}`}>{value}</dd>
      <dd class="tile-note">{children}</dd>
    </div>
  )
}

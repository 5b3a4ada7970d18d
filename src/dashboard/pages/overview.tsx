// The state at a glance: what goes through, what waits and why, what holds most, and whether forecasts can be trusted.

import { useMemo } from "preact/hooks"
import { useAsked } from "../api/asked.ts"
import { nowMs } from "../api/clock.ts"
import type { ForecastsDocument, OverviewDocument, SampleDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { Chart } from "../parts/chart.tsx"
import { Empty, Page, Panel } from "../parts/page.tsx"
import { arrivalsOf } from "../text/arrivals.ts"
import { countText, rateText } from "../text/number.ts"
import { ForecastQuality } from "./overview-forecasts.tsx"
import { HoldingGates } from "./overview-gates.tsx"
import { Reasons } from "./overview-reasons.tsx"
import { Tiles } from "./overview-tiles.tsx"

const lookEveryMs = 3_000
/** A server that has just started has little to show: not less than this, so that the axis does not jump. */
const leastSpanS = 300

export function OverviewPage() {
  useLive({ topics: ["overview", "samples"] })
  const overview = latest<OverviewDocument>("overview").value
  const samples = latest<readonly SampleDocument[]>("samples").value ?? []
  const forecasts = useAsked<ForecastsDocument>("forecast", { limit: 20 }, Math.floor(nowMs.value / lookEveryMs))
  if (overview === null)
    return (
      <Page title="Overview" error={forecasts.error}>
        <Empty>Waiting for the server.</Empty>
      </Page>
    )
  return (
    <Page title="Overview">
      <Tiles overview={overview} last={samples.at(-1) ?? null} />
      <Charts samples={samples} />
      <div class="columns">
        <Panel title="Why tasks wait" note={overview.is_estimate ? "estimated from 200 of them" : undefined}>
          <Reasons overview={overview} />
        </Panel>
        <Panel title="Gates that hold most">
          <HoldingGates limits={forecasts.value?.limits ?? null} />
        </Panel>
      </div>
      <Panel title="How good forecasts were" note="started no further from the forecast than">
        <ForecastQuality errors={forecasts.value?.errors ?? null} />
      </Panel>
    </Page>
  )
}

function Charts({ samples }: { readonly samples: readonly SampleDocument[] }) {
  const times = useMemo(() => samples.map(({ at }) => Date.parse(at) / 1_000), [samples])
  const values = (name: Exclude<keyof SampleDocument, "at">) => samples.map((one) => one[name])
  if (samples.length === 0) return <Empty>The first sample of the last hour is taken in a moment.</Empty>
  return (
    <div class="columns">
      <section class="panel" aria-label="Throughput">
        <Chart
          title="Throughput"
          {...{ times, leastSpanS, text: rateText }}
          lines={[
            { label: "completed", colour: "--accent", isFilled: true, values: values("completed") },
            { label: "arriving", colour: "--muted", dash: [2, 3], isClipped: true, values: arrivalsOf(samples) },
            { label: "failed", colour: "--bad", dash: [6, 3], values: values("failed") },
          ]}
        />
      </section>
      <section class="panel" aria-label="Waiting and running">
        <Chart
          title="Waiting and running"
          {...{ times, leastSpanS, text: wholeText }}
          lines={[
            { label: "waiting", colour: "--accent", isFilled: true, values: values("waiting") },
            { label: "running", colour: "--muted", dash: [6, 3], values: values("running") },
          ]}
        />
      </section>
    </div>
  )
}

function wholeText(value: number): string {
  return countText(Math.round(value))
}

// The page as a whole: what it follows, and which of its parts is shown.

import { render } from "preact"
import { startClock } from "./api/clock.ts"
import { followLive } from "./api/live.ts"
import { followSession } from "./api/session.ts"
import { isTokenWanted } from "./api/token.ts"
import { JobPage } from "./pages/job.tsx"
import { JobsPage } from "./pages/jobs.tsx"
import { LimitPage } from "./pages/limit.tsx"
import { LimitsPage } from "./pages/limits.tsx"
import { OverviewPage } from "./pages/overview.tsx"
import { SchedulesPage } from "./pages/schedules.tsx"
import { TaskPage } from "./pages/task.tsx"
import { TasksPage } from "./pages/tasks.tsx"
import { WorkersPage } from "./pages/workers.tsx"
import { Dialogs } from "./parts/dialog.tsx"
import { Link } from "./parts/link.tsx"
import { Notices } from "./parts/notices.tsx"
import { Page } from "./parts/page.tsx"
import { address, followAddress } from "./route.ts"
import { Header, LostBanner } from "./shell.tsx"
import { SignIn } from "./sign-in.tsx"
import { followTheme } from "./theme.ts"

function App() {
  if (isTokenWanted.value) return <SignIn />
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        To the content
      </button>
      <Header />
      <main id="main" tabIndex={-1}>
        <LostBanner />
        <Shown />
      </main>
      <Dialogs />
      <Notices />
    </>
  )
}

function Shown() {
  const { page, id } = address.value
  switch (page) {
    case "overview":
      return <OverviewPage />
    case "limits":
      return id === null ? <LimitsPage /> : <LimitPage key={id} name={id} />
    case "tasks":
      return id === null ? <TasksPage /> : <TaskPage key={id} id={id} />
    case "jobs":
      return id === null ? <JobsPage /> : <JobPage key={id} id={id} />
    case "schedules":
      return <SchedulesPage />
    case "workers":
      return <WorkersPage />
    case null:
      return (
        <Page title="Nothing here">
          <p>
            There is no such page. <Link page="overview">To the overview</Link>
          </p>
        </Page>
      )
  }
}

const root = document.getElementById("app")
if (root) {
  followTheme()
  followAddress()
  followSession()
  followLive()
  startClock()
  render(<App />, root)
}

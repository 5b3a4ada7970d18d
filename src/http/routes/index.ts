// The table of routes: what there is, what it needs, and where the OpenAPI document and the tests of every guard come from.

import type { Route } from "../route.ts"
import { jobRoutes } from "./jobs.ts"
import { limitRoutes } from "./limits.ts"
import { scheduleRoutes } from "./schedules.ts"
import { storeRoutes } from "./store.ts"
import { systemRoutes } from "./system.ts"
import { taskRoutes } from "./tasks.ts"
import { viewRoutes } from "./views.ts"
import { workerRoutes } from "./workers.ts"

export const routes: readonly Route[] = [
  ...viewRoutes,
  ...taskRoutes,
  ...jobRoutes,
  ...limitRoutes,
  ...scheduleRoutes,
  ...workerRoutes,
  ...storeRoutes,
  ...systemRoutes,
]

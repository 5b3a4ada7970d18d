// An API that is called from two places: by tasks in the background, and by a web handler while somebody waits. Both pass the same gate.

import { defineLimit, defineTask } from "sluice"

export const weatherApi = defineLimit("weather-api", { concurrency: 3 })

export const refresh = defineTask("refresh_forecast", {
  limits: [weatherApi],
  run: async (input: { readonly url: string }, ctx) => (await ctx.fetch(input.url)).json(),
})

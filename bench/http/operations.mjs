// What is measured, as a call of the store (through the library, in the server's process) and as a request that has the server do the
// same. `share` is how many of the calls that were asked for; `needs` how many waiting tasks one call takes.
import { Exchanger } from "./exchanger.mjs"

export const type = "empty"
export const input = { to: "ada@example.com", subject: "Hello", lines: [1, 2, 3] }
const many = 100
const page = 50
const claimed = 10

const sent = { task_type: type, input }
const exchanging = (store, inFlight) => {
  const lanes = Array.from({ length: inFlight }, () => new Exchanger(store, type, claimed))
  return (lane) => lanes[lane].next()
}

export const operations = {
  "submit one": {
    share: 1,
    needs: 0,
    store: ({ queue }) => {
      return () => queue.submit(type, input)
    },
    api: ({ client }) => {
      return () => client.ask("POST", "/api/v1/tasks", sent, 201)
    },
  },
  [`submit ${many}`]: {
    share: 0.05,
    needs: 0,
    store: ({ queue }) => {
      const tasks = Array.from({ length: many }, () => ({ task: type, input, options: {} }))
      return () => queue.submitEach(tasks)
    },
    api: ({ client }) => {
      const tasks = Array.from({ length: many }, () => sent)
      return () => client.ask("POST", "/api/v1/tasks/batch", { tasks }, 201)
    },
  },
  get: {
    share: 1,
    needs: 0,
    store: ({ queue, ids }) => {
      return (_, number) => queue.get(ids[number % ids.length])
    },
    api: ({ client, ids }) => {
      return (_, number) => client.ask("GET", `/api/v1/tasks/${ids[number % ids.length]}`)
    },
  },
  [`list ${page}`]: {
    share: 0.2,
    needs: 0,
    store: ({ queue }) => {
      return () => queue.list({ limit: page })
    },
    api: ({ client }) => {
      return () => client.ask("GET", `/api/v1/tasks?limit=${page}`)
    },
  },
  [`exchange ${claimed}`]: {
    share: 0.2,
    needs: claimed,
    store: ({ queue, inFlight }) => exchanging(queue.store, inFlight),
    api: ({ queue, inFlight }) => exchanging(queue.store, inFlight),
  },
}

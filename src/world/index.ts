export { systemWorld } from "./system.ts"
export { randomHex, sleep, type Timer, type World } from "./world.ts"

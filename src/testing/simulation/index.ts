export { type Simulated, type SimulationOptions, simulate } from "./simulation.ts"

export { Jobs } from "../jobs.ts"

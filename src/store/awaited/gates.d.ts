export { Gates } from "../gates.ts"

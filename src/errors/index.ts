export { isSluiceError, SluiceError, shown } from "./error.ts"
export { type ErrorCode, errorTable } from "./table.ts"

export { isSluiceError, SluiceError, shown } from "./error.ts"
export { cut, plain } from "./plain.ts"
export { type ErrorCode, errorTable } from "./table.ts"

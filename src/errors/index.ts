export { isSluiceError, SluiceError, shown } from "./error.ts"
export { insecure } from "./insecure.ts"
export { cut, plain } from "./plain.ts"
export { type ErrorCode, errorTable } from "./table.ts"

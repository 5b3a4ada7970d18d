// What Lua itself gives to a script, beside what the compiler makes of TypeScript. Texts are bytes here.

/** @noSelf */
interface Texts {
  format(pattern: string, ...values: (string | number)[]): string
  byte(text: string, at: number): number
  char(...codes: number[]): string
  len(text: string): number
  rep(text: string, count: number): string
  /** From 1 on, both ends included. */
  sub(text: string, from: number, to?: number): string
}

interface MetaTable {
  readonly __index: (this: void, table: never, name: string) => unknown
}

declare const string: Texts
declare function setmetatable<T extends object>(this: void, table: T, meta: MetaTable | undefined): T
declare function tonumber(this: void, text: unknown): number
declare function pcall<Asked extends unknown[], Answer>(
  this: void,
  run: (this: void, ...asked: Asked) => Answer,
  ...asked: Asked
): LuaMultiReturn<[boolean, Answer]>

/** By other names: the compiler keeps a global's own for itself. */
export const texts = string
export const attempt = pcall

export { type MetaTable, setmetatable, tonumber }

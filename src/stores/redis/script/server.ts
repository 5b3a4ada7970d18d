// What the server gives to a script. Everything in this folder is compiled to Lua and runs there.

/** @noSelf */
interface Server {
  /** A bulk string is a string, nothing is false, an integer a number. */
  call(command: string, ...values: (string | number)[]): unknown
  /** Of the opening of the script, scripts/lua/prelude.lua: the key of the latest command. */
  latestKey(): string
}

/** @noSelf */
interface MessagePack {
  pack(...values: unknown[]): string
  unpack(text: string): unknown
  /** The offset behind what was read, -1 at the end, and the value. */
  unpack_one(text: string, offset?: number): LuaMultiReturn<[number, unknown]>
  /** The same of so many values. */
  unpack_limit(text: string, limit: number, offset: number): LuaMultiReturn<[number, ...unknown[]]>
}

/** @noSelf */
interface Json {
  decode(text: string): unknown
}

declare const redis: Server
declare const cmsgpack: MessagePack
declare const cjson: Json
/** Of the opening of the script, scripts/lua/prelude.lua: JSON with keys in order; `special` may write a table in its own way. */
declare function encode(this: void, value: unknown, special: (this: void, value: object) => string | undefined): string

export { cjson, cmsgpack, encode, redis }

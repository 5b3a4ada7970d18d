// What the server gives to a script. Everything in this folder is compiled to Lua and runs there.

/** A bulk string; a number; false where there is nothing. */
export type Reply = string | number | false

/** @noSelf */
interface Server {
  call(command: string, ...values: (string | number)[]): unknown
}

/** @noSelf */
interface MessagePack {
  pack(...values: unknown[]): string
  /** Answers with the offset behind what was read, -1 at the end, and the value. */
  unpack_one(text: string, offset?: number): LuaMultiReturn<[number, unknown]>
  unpack(text: string): unknown
}

declare const redis: Server
declare const cmsgpack: MessagePack

export { cmsgpack, redis }

// What lists do with a function, where the function has to be waited for: one after the other, in order, because each may change what
// the next one sees. The steps that are compiled to wait (scripts/awaited) use these in place of the methods of the same names.

type Each<T, R> = (one: T, index: number) => R | Promise<R>

export async function map<T, R>(list: readonly T[], of: Each<T, R>): Promise<R[]> {
  const found: R[] = []
  for (let i = 0; i < list.length; i++) found.push(await of(list[i] as T, i))
  return found
}

export async function flatMap<T, R>(list: readonly T[], of: Each<T, R | readonly R[]>): Promise<R[]> {
  return (await map(list, of)).flat() as R[]
}

export async function filter<T>(list: readonly T[], is: Each<T, boolean>): Promise<T[]> {
  const found: T[] = []
  for (let i = 0; i < list.length; i++) if (await is(list[i] as T, i)) found.push(list[i] as T)
  return found
}

export async function some<T>(list: readonly T[] | undefined, is: Each<T, boolean>): Promise<boolean> {
  return list !== undefined && (await indexOf(list, is)) >= 0
}

export async function every<T>(list: readonly T[], is: Each<T, boolean>): Promise<boolean> {
  for (let i = 0; i < list.length; i++) if (!(await is(list[i] as T, i))) return false
  return true
}

export async function find<T>(list: readonly T[], is: Each<T, boolean>): Promise<T | undefined> {
  return list[await indexOf(list, is)]
}

async function indexOf<T>(list: readonly T[], is: Each<T, boolean>): Promise<number> {
  for (let i = 0; i < list.length; i++) if (await is(list[i] as T, i)) return i
  return -1
}

// Assertions about types, made by the compiler: a wrong one does not build.

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Call it with the two types; nothing happens at run time. */
export function same<A, B>(..._proof: IsSame<A, B> extends true ? [] : [{ readonly expected: B; readonly got: A }]): void {}

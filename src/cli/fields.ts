// "name: value" lines: what is null has no line.

export type Field = readonly [name: string, value: string]

export function field(name: string, value: string | null): Field[] {
  return value === null ? [] : [[name, value]]
}

export function fieldLines(fields: readonly Field[]): string[] {
  return fields.map(([name, value]) => `${name}: ${value}`)
}

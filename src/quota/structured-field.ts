// Lists of structured fields (RFC 9651): `"default";q=100;w=60, "daily";q=1000`. Of inner lists, dates and display strings the
// quota fields make no use. Malformed means that the whole field is null, as the standard has it.

export type BareItem = string | number | boolean

export interface Item {
  readonly value: BareItem
  readonly parameters: ReadonlyMap<string, BareItem>
}

const string = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const number = /-?\d{1,15}(?:\.\d{1,3})?/y
const token = /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/y
const bytes = /:([A-Za-z0-9+/=]*):/y
const boolean = /\?([01])/y
const parameter = /; *([a-z*][a-z0-9_.*-]*)/y
const comma = /[ \t]*,[ \t]*/y

/** Where reading stands in a text. */
class Place {
  at = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match) this.at = pattern.lastIndex
    return match
  }

  get isEnd(): boolean {
    return this.at === this.text.length
  }
}

export function readList(text: string | null): readonly Item[] | null {
  if (text === null) return null
  const place = new Place(text)
  const items: Item[] = []
  do {
    const item = readItem(place)
    if (item === null) return null
    items.push(item)
  } while (place.take(comma))
  return place.isEnd ? items : null
}

function readItem(place: Place): Item | null {
  const value = readBare(place)
  if (value === null) return null
  const parameters = new Map<string, BareItem>()
  for (let match = place.take(parameter); match; match = place.take(parameter)) {
    const isGiven = place.text[place.at] === "="
    if (isGiven) place.at++
    const given = isGiven ? readBare(place) : true
    if (given === null) return null
    parameters.set(match[1] ?? "", given)
  }
  return { value, parameters }
}

/** Bytes stay in the base64 they came in: they are compared, never looked into. */
function readBare(place: Place): BareItem | null {
  const text = place.take(string)
  if (text) return (text[1] ?? "").replace(/\\(.)/g, "$1")
  const numeral = place.take(number)
  if (numeral) return Number(numeral[0])
  const flag = place.take(boolean)
  if (flag) return flag[1] === "1"
  const word = place.take(token)
  if (word) return word[0]
  return place.take(bytes)?.[1] ?? null
}

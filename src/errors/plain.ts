// Text of others (inputs, error messages, outputs, reasons) in a message: nothing in it that a terminal or a log obeys.

const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Control characters are shown as JSON writes them, so that nothing is lost and nothing happens. */
export function plain(text: string): string {
  return text.toWellFormed().replace(controls, (character) => {
    const written = JSON.stringify(character).slice(1, -1)
    return written === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : written
  })
}

/** As much of it as a message has room for. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3).toWellFormed()}...` : text
}

// Text of others (error messages, outputs, reasons) on somebody's terminal: one line, and nothing that a terminal obeys.

const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** Control characters are shown as JSON writes them, so that nothing is lost and nothing happens. */
export function plain(text: string): string {
  return text.replace(controls, (character) => {
    const written = JSON.stringify(character).slice(1, -1)
    return written === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : written
  })
}

/** For a message that wraps: one line, its breaks as spaces. */
export function oneLine(text: string): string {
  return plain(text.replace(/\s*[\r\n]+\s*/g, " ").trim())
}

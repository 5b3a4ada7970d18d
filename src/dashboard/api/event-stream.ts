// text/event-stream, as it comes in pieces. Only what the server sends is understood: `event`, `data` and comments.

export interface StreamEvent {
  readonly event: string
  readonly data: string
}

export class EventReader {
  private rest = ""

  /** The events that are complete with this piece. */
  read(piece: string): StreamEvent[] {
    const frames = (this.rest + piece).split("\n\n")
    this.rest = frames.pop() ?? ""
    return frames.flatMap(eventOf)
  }
}

function eventOf(frame: string): StreamEvent[] {
  let event = "message"
  const data: string[] = []
  for (const line of frame.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice("event: ".length)
    else if (line.startsWith("data: ")) data.push(line.slice("data: ".length))
  }
  return data.length === 0 ? [] : [{ event, data: data.join("\n") }]
}

// One request every `perMs / limit`, evenly. What is refused goes back to the front and the pace stays.
import { fire } from "./fire.mjs"

export async function paced({ clock, send, source, limit, perMs }) {
  for (;;) {
    fire({ send, source }, await source.next())
    await clock.sleep(perMs / limit)
  }
}

// sluice completion: a script that teaches a shell the commands, options and statuses.

import { Argument, type Command } from "commander"
import { bashScript } from "../completion/bash.ts"
import { fishScript } from "../completion/fish.ts"
import { type Words, wordsOf } from "../completion/words.ts"
import { zshScript } from "../completion/zsh.ts"
import { define } from "../define.ts"
import type { Session } from "../session.ts"

const scripts: Readonly<Record<string, (words: Words) => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript }

export function addCompletion(program: Command, session: Session): void {
  define(program, {
    usage: "completion",
    summary: "Print a completion script for a shell",
    examples: [
      "source <(sluice completion bash)",
      "source <(sluice completion zsh)",
      "sluice completion fish > ~/.config/fish/completions/sluice.fish",
    ],
  })
    .addArgument(new Argument("<shell>", "The shell").choices(Object.keys(scripts)))
    .action((shell: string) => {
      const script = scripts[shell]?.(wordsOf(program)) ?? ""
      if (session.isJson) session.printJson({ shell, script })
      else session.io.stdout.write(script)
    })
}

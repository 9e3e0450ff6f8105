// Writes out/completions/, which packages for Linux install: run by `npm run package`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLists } from '../core/doors/cli/commands.ts'
import { completionScript } from '../core/doors/cli/completion-scripts.ts'
import { inProject } from './project.mjs'

/** The names under which each shell looks for the completion of `lcm`. */
const NAMES = { bash: 'lcm', zsh: '_lcm', fish: 'lcm.fish' } as const

/** Writes what `lcm completion` prints for each shell. */
export async function writeCompletions(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(join(folder, NAMES[shell]), await completionScript(shell, await commandLists()))
}

if (import.meta.main) await writeCompletions(inProject('out/completions'))

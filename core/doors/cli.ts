import { readFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** True when `lcm` runs from the sources in a checkout (core/doors), and not built (out/main). */
const isSource = import.meta.url.endsWith('.ts')
const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Whether a text was written whole. A closed or a full pipe is left to the command itself, which says what is wrong. */
function isWritten(text: string): boolean {
  try {
    return writeSync(process.stdout.fd, text) === text.length
  } catch {
    return false
  }
}

const [word, ...others] = process.argv.slice(2)
const asksVersion = (word === '--version' || word === '-V') && others.length === 0
// Scripts ask for the version alone before they use a command: nothing else is loaded for it.
if (!asksVersion || !isWritten(`${version}\n`)) {
  const { runCommandLine } = await import('./cli-process.ts')
  runCommandLine({ root, version, here: (name) => new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url) })
}

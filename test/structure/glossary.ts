import { readFileSync } from 'node:fs'
import { inProject } from '#scripts/project.mjs'

/** A row of docs/glossary.md. */
export type Term = {
  readonly term: string
  readonly meaning: string
  /** Words that stood for it before. */
  readonly replaced: readonly string[]
  /** Words for it that stand nowhere in the window. */
  readonly notInWindow: readonly string[]
}

export function readGlossary(): Term[] {
  const page = readFileSync(inProject('docs/glossary.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| term '))
  return rows.map((row) => {
    const [, term = '', meaning = '', replaced = '', , notInWindow = ''] = row.split('|').map((cell) => cell.trim())
    return { term, meaning, replaced: listed(replaced), notInWindow: listed(notInWindow) }
  })
}

const listed = (cell: string): string[] => (cell === '' ? [] : cell.split(', '))

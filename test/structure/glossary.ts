import { readFileSync } from 'node:fs'
import { inProject } from '#scripts/project.mjs'

/** A row of docs/glossary.md. */
export type Term = {
  readonly term: string
  readonly meaning: string
  /** Words that stood for it before. */
  readonly replaced: readonly string[]
}

export function readGlossary(): Term[] {
  const page = readFileSync(inProject('docs/glossary.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| term '))
  return rows.map((row) => {
    const [, term = '', meaning = '', replaced = ''] = row.split('|').map((cell) => cell.trim())
    return { term, meaning, replaced: replaced === '' ? [] : replaced.split(', ') }
  })
}

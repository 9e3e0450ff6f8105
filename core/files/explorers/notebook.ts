import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { readDocument } from './json.ts'
import type { JsonEvents } from './json-reader.ts'
import { counted, shown } from './shown.ts'
import type { Entry, Findings } from './summary-text.ts'

const NAME_CHARS = 80
const MOST_ENTRIES = 300
const LISTED_IMPORTS = 30
/** At most this many lines of a cell are looked through. */
const MOST_LINES = 1000

const DEFINITION = /^(?:async )?(?:def|class) \w+[^:]{0,200}/
const IMPORT = /^(?:import|from) ([\w.]+)/
const HEADING = /^#{1,6} +(\S.*)/

/** The cells of a notebook: headings of its texts, definitions and imports of its code, and what it printed. */
export const exploreNotebook: Explorer = function* (file) {
  const cells = new NotebookCells()
  const { error } = yield* readDocument(file, cells)
  return cells.findings(error)
}

/** Follows the names that lead to a value: `cells`, `source`. */
class NotebookCells implements JsonEvents {
  readonly #path: string[] = []
  #name = ''
  #kind = ''
  #source: string[] = []
  #outputs = 0
  #errors = 0
  #language = ''
  #kernel = ''
  readonly #kinds = new Map<string, number>()
  readonly #headings: Entry[] = []
  #headingCount = 0
  readonly #definitions: Entry[] = []
  #definitionCount = 0
  #longCells = 0
  readonly #imports = new Set<string>()
  readonly #firstLines: Entry[] = []

  open(kind: 'object' | 'array'): void {
    this.#path.push(this.#name)
    if (kind === 'object' && this.#isAt('cells', '')) this.#begin()
    if (kind === 'object' && this.#isAt('cells', '', 'outputs', '')) this.#outputs += 1
    this.#name = ''
  }

  close(): void {
    if (this.#isAt('cells', '')) this.#end()
    this.#path.pop()
    this.#name = ''
  }

  key(name: string): void {
    this.#name = name
  }

  text(value: string): void {
    const name = this.#name
    if (this.#isAt('cells', '') && name === 'cell_type') this.#kind = value
    else if ((this.#isAt('cells', '') && name === 'source') || this.#isAt('cells', '', 'source')) this.#addSource(value)
    else if (this.#isAt('cells', '', 'outputs', '') && name === 'ename') this.#errors += 1
    else if (this.#isAt('metadata', 'language_info') && name === 'name') this.#language = value
    else if (this.#isAt('metadata', 'kernelspec') && name === 'display_name') this.#kernel = value
  }

  number(): void {}
  boolean(): void {}
  null(): void {}

  findings(error: string | null): Findings {
    const count = [...this.#kinds.values()].reduce((sum, cells) => sum + cells, 0)
    if (count === 0) throw new Unreadable(error ?? 'it has no cell')
    const kinds = [...this.#kinds].map(([kind, cells]) => `${counted(cells)} ${shown(kind, 20)}`).join(', ')
    const language = [this.#language, this.#kernel].filter((name) => name !== '').map((name) => shown(name, 40))
    return {
      facts: [
        `${plural(count, 'cell')} (${kinds}), ${plural(this.#outputs, 'output')}${this.#errors === 0 ? '' : `, ${plural(this.#errors, 'error')} among them`}.`,
        ...(language.length === 0 ? [] : [`Language: ${language.join(', ')}.`]),
        ...(this.#imports.size === 0 ? [] : [`Imports: ${importList([...this.#imports])}.`]),
        ...(this.#longCells === 0
          ? []
          : [`Of ${plural(this.#longCells, 'cell')} only the first ${counted(MOST_LINES)} lines were read.`]),
        ...(error === null ? [] : [`It was read only in part: ${error}.`]),
      ],
      sections: [
        { kind: 'entries', title: 'Headings', entries: this.#headings, total: this.#headingCount, use: 'always' },
        {
          kind: 'entries',
          title: 'Definitions',
          entries: this.#definitions,
          total: this.#definitionCount,
          use: 'always',
        },
        { kind: 'entries', title: 'First lines of the cells', entries: this.#firstLines, total: count, use: 'more' },
      ],
    }
  }

  #isAt(...names: readonly string[]): boolean {
    const path = this.#path
    // The document itself has no name.
    return path.length === names.length + 1 && names.every((name, index) => path[index + 1] === name)
  }

  #begin(): void {
    this.#kind = ''
    this.#source = []
  }

  #addSource(text: string): void {
    for (const line of text.split('\n')) if (line !== '' && this.#source.length <= MOST_LINES) this.#source.push(line)
  }

  #end(): void {
    this.#kinds.set(this.#kind, (this.#kinds.get(this.#kind) ?? 0) + 1)
    const [first] = this.#source
    if (this.#source.length > MOST_LINES) {
      this.#source.pop()
      this.#longCells += 1
    }
    if (first !== undefined) add(this.#firstLines, first, shown(this.#kind, 20))
    for (const line of this.#source) {
      if (this.#kind === 'markdown') {
        const heading = HEADING.exec(line)?.[1]
        if (heading !== undefined) {
          this.#headingCount += 1
          add(this.#headings, heading, '')
        }
        continue
      }
      const definition = DEFINITION.exec(line)?.[0]
      if (definition !== undefined) {
        this.#definitionCount += 1
        add(this.#definitions, definition, '')
      }
      const imported = IMPORT.exec(line)?.[1]
      if (imported !== undefined) this.#imports.add(imported)
    }
  }
}

function add(entries: Entry[], name: string, detail: string): void {
  if (entries.length < MOST_ENTRIES) entries.push({ name: shown(name, NAME_CHARS), detail })
}

function importList(names: readonly string[]): string {
  const listed = names.slice(0, LISTED_IMPORTS).map((name) => shown(name, 40))
  const more = names.length - listed.length
  return `${listed.join(', ')}${more > 0 ? ` … and ${counted(more)} more` : ''}`
}

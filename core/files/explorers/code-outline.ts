import { counted, countOf, shown } from './shown.ts'
import type { Entry, Findings, Section } from './summary-text.ts'

const NAME_CHARS = 60
const SIGNATURE_CHARS = 140
const MEMBERS_CHARS = 400
/** More are counted and not kept. */
const MOST_DEFINITIONS = 2000
/** Further names are counted, also a second time. */
const MOST_NAMES = 200_000
const MOST_MEMBERS = 200
const MOST_IMPORTS = 40
const LISTED_IMPORTS = 12

type Definition = {
  readonly name: string
  readonly signature: string
  readonly line: number
  readonly isExported: boolean
}

/** What a source file defines and imports. */
export class CodeOutline {
  readonly #functions: Definition[] = []
  readonly #types: Definition[] = []
  /** Names of methods by the name of their type. */
  readonly #members = new Map<string, Set<string>>()
  readonly #names = { function: new Set<string>(), type: new Set<string>() }
  readonly #constants = new Set<string>()
  readonly #imports = new Set<string>()
  #functionCount = 0
  #typeCount = 0
  #importCount = 0
  lines = 0
  isDamaged = false

  add(kind: 'function' | 'type', definition: Definition): void {
    // A prototype and a definition, or signatures of one function, are one thing.
    const names = this.#names[kind]
    if (names.has(definition.name)) return
    if (names.size < MOST_NAMES) names.add(definition.name)
    const list = kind === 'function' ? this.#functions : this.#types
    if (kind === 'function') this.#functionCount += 1
    else this.#typeCount += 1
    if (list.length < MOST_DEFINITIONS) list.push(definition)
  }

  /** Adds what another outline of the same file has and this one lacks. */
  addMissing(other: CodeOutline): void {
    const members = new Set([...this.#members.values()].flatMap((names) => [...names]))
    for (const one of other.#functions) if (!members.has(one.name)) this.add('function', one)
    for (const one of other.#types) this.add('type', one)
    this.#functions.sort((a, b) => a.line - b.line)
    this.#types.sort((a, b) => a.line - b.line)
  }

  addMember(type: string, name: string): void {
    this.#functionCount += 1
    const members = this.#members.get(type) ?? new Set()
    if (members.size < MOST_MEMBERS) members.add(name)
    if (this.#members.size < MOST_DEFINITIONS) this.#members.set(type, members)
  }

  addConstant(name: string): void {
    if (this.#constants.size < MOST_DEFINITIONS) this.#constants.add(name)
  }

  /** Keeps the name of a module without what surrounds it. */
  addImport(text: string): void {
    this.#importCount += 1
    const name = text
      .replace(/^(?:import|using|use|from)\s+(?:static\s+)?/, '')
      .replaceAll(/^[\s("'<]+|[\s)"'>;]+$/g, '')
    if (name !== '' && this.#imports.size < MOST_IMPORTS) this.#imports.add(shown(name, NAME_CHARS))
  }

  findings(): Findings {
    const constants = [...this.#constants].map((name) => ({ name: shown(name, NAME_CHARS), detail: '' }))
    const types = this.#typeEntries()
    return {
      facts: [
        `${countOf(this.lines, 'line')}, ${countOf(this.#functionCount, 'function')}, ${countOf(this.#typeCount, 'type')}, ${countOf(constants.length, 'other name')} at the top.`,
        ...(this.#importCount === 0 ? [] : [`Imports ${this.#importList()}.`]),
        ...(this.isDamaged ? ['Parts of it do not follow the grammar of the language.'] : []),
      ],
      sections: [
        section('Classes and types', types, Math.max(this.#typeCount, types.length), 0.35),
        section(
          'Functions',
          exportedFirst(this.#functions).map(entryOf),
          this.#functionCount - this.#memberCount(),
          0.6,
        ),
        section('Other names', constants, constants.length, 0.3),
      ],
    }
  }

  #memberCount(): number {
    return [...this.#members.values()].reduce((sum, { size }) => sum + size, 0)
  }

  #importList(): string {
    const few = [...this.#imports].slice(0, LISTED_IMPORTS)
    const more = this.#importCount - few.length
    return more > 0 ? `${few.join(', ')} … and ${more} more` : few.join(', ')
  }

  /** Types with their members. Members may also be defined far from their type, or in another file. */
  #typeEntries(): Entry[] {
    const types = [...exportedFirst(this.#types)].sort(
      (a, b) => Number(this.#hasMembers(b)) - Number(this.#hasMembers(a)),
    )
    const known = new Set(types.map(({ name }) => name))
    const others = [...this.#members.keys()].filter((name) => !known.has(name))
    return [
      ...types.map((type) => {
        const entry = entryOf(type)
        return { ...entry, detail: `${entry.detail}${this.#membersOf(type.name)}` }
      }),
      ...others.map((name) => ({
        name: shown(name, NAME_CHARS),
        detail: `defined elsewhere${this.#membersOf(name)}`,
      })),
    ]
  }

  #hasMembers({ name }: Definition): boolean {
    return this.#members.has(name)
  }

  #membersOf(type: string): string {
    const members = this.#members.get(type)
    if (members === undefined) return ''
    return `; ${countOf(members.size, 'member')}: ${shown([...members].join(', '), MEMBERS_CHARS)}`
  }
}

/** What other files can use comes first. */
const exportedFirst = (definitions: readonly Definition[]): readonly Definition[] => [
  ...definitions.filter((one) => one.isExported),
  ...definitions.filter((one) => !one.isExported),
]

const section = (title: string, entries: readonly Entry[], total: number, share: number): Section => ({
  kind: 'entries',
  title,
  entries,
  total,
  use: 'always',
  share,
})

const entryOf = ({ name, signature, line }: Definition): Entry => ({
  name: shown(name, NAME_CHARS),
  isNamedInDetail: signature.includes(name),
  detail: `${shown(signature, SIGNATURE_CHARS).replace(/\s*(?:=>|[={:])$/, '')} (line ${counted(line)})`,
})

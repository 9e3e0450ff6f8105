import { plural } from '#core/text.ts'
import { counted, shown } from './shown.ts'
import type { Entry, Findings, Section } from './summary-text.ts'

const NAME_CHARS = 60
const SIGNATURE_CHARS = 140
const MEMBER_CHARS = 80
const MEMBERS_CHARS = 400
/** More are counted and not kept. */
const MOST_DEFINITIONS = 2000
/** At most this many names of a kind are told apart. With more names, the counts are given as "at least". */
const MOST_NAMES = 200_000
const MOST_MEMBERS = 200
const LISTED_IMPORTS = 12

type Definition = {
  readonly name: string
  readonly signature: string
  readonly line: number
  readonly isExported: boolean
}

/** Counts different names, of which only so many can be told apart. */
class Names {
  readonly #known = new Set<string>()
  isCut = false

  get size(): number {
    return this.#known.size
  }

  /** Returns true for a name that is new. */
  add(name: string): boolean {
    if (this.#known.has(name)) return false
    this.isCut ||= this.#known.size === MOST_NAMES
    if (!this.isCut) this.#known.add(name)
    return !this.isCut
  }

  has(name: string): boolean {
    return this.#known.has(name)
  }

  /** "3 types", "at least 200,000 types". */
  count(one: string): string {
    return `${this.isCut ? 'at least ' : ''}${plural(this.size, one)}`
  }
}

type Members = { readonly signatures: string[]; count: number }

/** What a source file defines and imports. */
export class CodeOutline {
  readonly #functions: Definition[] = []
  readonly #types: Definition[] = []
  /** The methods by the name of their type. */
  readonly #members = new Map<string, Members>()
  readonly #names = { function: new Names(), type: new Names(), member: new Names(), constant: new Names() }
  /** What a line of the file would call a member. */
  readonly #memberNames = new Names()
  readonly #constants: string[] = []
  readonly #imports = new Names()
  readonly #listedImports: string[] = []
  lines = 0
  hasErrors = false
  /** The language has a grammar here, and the file was too long or too hard for it. */
  isWithoutGrammar = false

  add(kind: 'function' | 'type', definition: Definition): void {
    // A prototype and a definition, or signatures of one function, are one thing.
    if (!this.#names[kind].add(definition.name)) return
    const list = kind === 'function' ? this.#functions : this.#types
    if (list.length < MOST_DEFINITIONS) list.push(definition)
  }

  /** Adds what another outline of the same file has and this one lacks. */
  addMissing(other: CodeOutline): void {
    for (const one of other.#functions) if (!this.#memberNames.has(one.name)) this.add('function', one)
    for (const one of other.#types) this.add('type', one)
    this.#functions.sort((a, b) => a.line - b.line)
    this.#types.sort((a, b) => a.line - b.line)
  }

  addMember(type: string, name: string, signature: string): void {
    if (!this.#names.member.add(`${type}\n${name}`)) return
    this.#memberNames.add(name)
    const members = this.#members.get(type) ?? { signatures: [], count: 0 }
    members.count += 1
    if (members.signatures.length < MOST_MEMBERS) members.signatures.push(memberText(name, signature))
    if (this.#members.has(type) || this.#members.size < MOST_DEFINITIONS) this.#members.set(type, members)
  }

  addConstant(name: string): void {
    if (this.#names.constant.add(name) && this.#constants.length < MOST_DEFINITIONS) this.#constants.push(name)
  }

  /** Keeps the name of a module without what surrounds it. */
  addImport(text: string): void {
    const name = text
      .replace(/^(?:import|using|use|from)\s+(?:static\s+)?/, '')
      .replaceAll(/^[\s("'<]+|[\s)"'>;]+$/g, '')
    if (name !== '' && this.#imports.add(name) && this.#listedImports.length < LISTED_IMPORTS)
      this.#listedImports.push(shown(name, NAME_CHARS))
  }

  findings(): Findings {
    const constants = this.#constants.map((name) => ({ name: shown(name, NAME_CHARS), detail: '' }))
    const types = this.#typeEntries()
    const { function: functions, type, member, constant } = this.#names
    const called = `${functions.isCut || member.isCut ? 'at least ' : ''}${plural(functions.size + member.size, 'function')}`
    return {
      facts: [
        `${plural(this.lines, 'line')}, ${called}, ${type.count('type')}, ${constant.count('other name')} at the top.`,
        ...(this.#imports.size === 0 ? [] : [`Imports ${this.#importList()}.`]),
        ...(this.hasErrors
          ? ['The grammar of its language does not follow parts of it: they are wrong, or newer than the grammar.']
          : []),
        ...(this.isWithoutGrammar ? ['It is too long for the grammar of its language and was read line by line.'] : []),
      ],
      sections: [
        section('Classes and types', types, Math.max(type.size, types.length), 0.35),
        section('Functions', exportedFirst(this.#functions).map(entryOf), functions.size, 0.6),
        section('Other names', constants, constant.size, 0.3),
      ],
    }
  }

  #importList(): string {
    const more = this.#imports.size - this.#listedImports.length
    return `${this.#listedImports.join(', ')}${more > 0 ? ` … and ${counted(more)} more` : ''}`
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
    return `; ${plural(members.count, 'member')}: ${shown(members.signatures.join('; '), MEMBERS_CHARS)}`
  }
}

/** What other files can use comes first. */
const exportedFirst = (definitions: readonly Definition[]): readonly Definition[] => [
  ...definitions.filter((one) => one.isExported),
  ...definitions.filter((one) => !one.isExported),
]

/** What a method is called and given, and what it returns, without what stands before that for the compiler alone. */
function memberText(name: string, signature: string): string {
  const text = shown(signature, MEMBER_CHARS).replace(/\s*(?:=>|[={:;,]|\bend)$/, '')
  return text.includes(name) ? text.replace(ANNOTATIONS, '').replace(ACCESS, '').replace(RECEIVER, '') : name
}

const ANNOTATIONS = /^(?:@[\w.]+(?:\([^)]*\))?\s+)+/
const ACCESS = /^(?:(?:public|export|override|virtual|pub(?:\([\w:]+\))?|def|func|fn|fun|function)\s+)+/
/** In Go the type stands before the name of its method. */
const RECEIVER = /^\([^)]*\)\s*/

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

import { Parser } from 'htmlparser2'
import { type Explorer, Unreadable } from './explorer.ts'
import { counted, countOf, quoted, shown } from './shown.ts'
import type { Entry, Findings, Section } from './summary-text.ts'

const TEXT_CHARS = 300
const LONGEST_TAG_CHARS = 4 * 1024 * 1024
/** More are counted and not kept. */
const MOST_ENTRIES = 200
const MOST_NAMES = 500

/** The headings, links and elements of a page, and how its text begins. */
export const exploreHtml: Explorer = function* (file) {
  const page = new HtmlPage()
  const parser = new Parser(page, { decodeEntities: true })
  for (const piece of file.pieces()) {
    page.silentChars += piece.length
    parser.write(piece)
    if (page.silentChars > LONGEST_TAG_CHARS) throw new Unreadable('a tag of it is too long')
    yield
  }
  parser.end()
  return page.findings()
}

class HtmlPage {
  readonly #elements = new Map<string, number>()
  readonly #headings: Entry[] = []
  readonly #links: Entry[] = []
  readonly #fields: Entry[] = []
  readonly #ids: Entry[] = []
  #title = ''
  #description = ''
  #text = ''
  #textChars = 0
  /** The element whose text is read. */
  #within: 'title' | 'heading' | 'link' | 'code' | null = null
  #collected = ''
  #target = ''
  silentChars = 0

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.silentChars = 0
    if (this.#elements.has(name) || this.#elements.size < MOST_NAMES)
      this.#elements.set(name, (this.#elements.get(name) ?? 0) + 1)
    if (name === 'title' || name === 'a' || /^h[1-6]$/.test(name)) this.#begin(name, attributes)
    else if (name === 'script' || name === 'style') this.#within = 'code'
    else if (name === 'meta' && attributes.name === 'description') this.#description = attributes.content ?? ''
    else if (name === 'input' || name === 'select' || name === 'textarea') this.#addField(name, attributes)
    if (attributes.id !== undefined) add(this.#ids, { name: `#${shown(attributes.id, 40)}`, detail: '' })
  }

  ontext(text: string): void {
    this.silentChars = 0
    if (this.#within === 'code') return
    if (this.#within !== null) this.#collected = upTo(TEXT_CHARS, this.#collected, text)
    if (this.#within === 'title') return
    this.#textChars += text.replaceAll(/\s+/g, '').length
    this.#text = upTo(TEXT_CHARS * 4, this.#text, text)
  }

  oncomment(): void {
    this.silentChars = 0
  }

  onclosetag(name: string): void {
    const text = shown(this.#collected, 80)
    if (name === 'title' && this.#within === 'title') this.#title ||= text
    else if (this.#within === 'heading' && /^h[1-6]$/.test(name)) add(this.#headings, { name: text, detail: name })
    else if (name === 'a' && this.#within === 'link') this.#addLink({ name: text, detail: shown(this.#target, 80) })
    else if (name !== 'script' && name !== 'style') return
    this.#within = null
    this.#collected = ''
  }

  findings(): Findings {
    if (this.#elements.size === 0) throw new Unreadable('it has no element')
    const elements = [...this.#elements].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    const count = elements.reduce((sum, [, times]) => sum + times, 0)
    return {
      facts: [
        ...(this.#title === '' ? [] : [`The title is ${quoted(this.#title, 100)}.`]),
        ...(this.#description === '' ? [] : [`Description: ${quoted(this.#description, 200)}.`]),
        `${countOf(count, 'element')}, ${countOf(this.#textChars, 'character')} of text without white space.`,
      ],
      sections: [
        section('Headings', this.#headings),
        section('Fields of forms', this.#fields),
        section(
          'Elements',
          elements.map(([name, times]) => ({ name: `${shown(name, 30)} ×${counted(times)}`, detail: '' })),
        ),
        section('Links with different texts', this.#links),
        section('Ids', this.#ids),
        { kind: 'excerpt', title: 'Its text begins with', text: this.#text, use: 'more' },
      ],
    }
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#within = name === 'title' ? 'title' : name === 'a' ? 'link' : 'heading'
    this.#collected = ''
    this.#target = attributes.href ?? ''
  }

  /** "Read more" says no more when it comes again. */
  #addLink(link: Entry): void {
    if (link.name !== '' && !this.#links.some(({ name }) => name === link.name)) add(this.#links, link)
  }

  #addField(element: string, { name, type }: Readonly<Record<string, string>>): void {
    if (name !== undefined) add(this.#fields, { name: shown(name, 40), detail: shown(type ?? element, 20) })
  }
}

/** The same text however it is cut into pieces. */
const upTo = (chars: number, before: string, piece: string): string =>
  before.length === chars ? before : (before + piece).trimStart().slice(0, chars)

function add(entries: Entry[], entry: Entry): void {
  if (entries.length < MOST_ENTRIES) entries.push(entry)
}

const section = (title: string, entries: readonly Entry[]): Section => ({
  kind: 'entries',
  title,
  entries,
  isCut: entries.length === MOST_ENTRIES,
  use: 'always',
})

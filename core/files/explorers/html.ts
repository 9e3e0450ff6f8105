import { Parser } from 'htmlparser2'
import { plural } from '#core/text.ts'
import { type Explorer, Unreadable } from './explorer.ts'
import { piecesOf } from './lines.ts'
import { counted, quoted, shown } from './shown.ts'
import type { Entry, Findings, Section } from './summary-text.ts'

const TEXT_CHARS = 300
/** The parser needs longer for each element the deeper it is nested. */
const DEEPEST = 10_000
/** More are counted and not kept. */
const MOST_ENTRIES = 200
const MOST_NAMES = 500

/** The headings, links and elements of a page, and how its text begins. */
export const exploreHtml: Explorer = function* (file) {
  const page = new HtmlPage()
  const parser = new Parser(page, { decodeEntities: true })
  for (const piece of piecesOf(yield* file.text())) {
    parser.write(piece)
    yield
  }
  parser.end()
  return page.findings()
}

/** Keeps so many entries and counts all. */
class Kept {
  readonly entries: Entry[] = []
  total = 0

  add(entry: Entry): void {
    this.total += 1
    if (this.entries.length < MOST_ENTRIES) this.entries.push(entry)
  }
}

class HtmlPage {
  readonly #elements = new Map<string, number>()
  #elementCount = 0
  #open = 0
  readonly #headings = new Kept()
  readonly #links = new Kept()
  readonly #linkTexts = new Set<string>()
  readonly #fields = new Kept()
  readonly #ids = new Kept()
  #title = ''
  #description = ''
  #text = ''
  #textChars = 0
  /** The element whose text is read. */
  #within: 'title' | 'heading' | 'link' | 'code' | null = null
  #collected = ''
  #target = ''

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#elementCount += 1
    this.#open += 1
    if (this.#open > DEEPEST) throw new Unreadable(`it is nested more than ${DEEPEST} deep`)
    if (this.#elements.has(name) || this.#elements.size < MOST_NAMES)
      this.#elements.set(name, (this.#elements.get(name) ?? 0) + 1)
    if (name === 'title' || name === 'a' || /^h[1-6]$/.test(name)) this.#begin(name, attributes)
    else if (name === 'script' || name === 'style') this.#within = 'code'
    else if (name === 'meta' && attributes.name === 'description') this.#description = attributes.content ?? ''
    else if (name === 'input' || name === 'select' || name === 'textarea') this.#addField(name, attributes)
    if (attributes.id !== undefined) this.#ids.add({ name: `#${shown(attributes.id, 40)}`, detail: '' })
  }

  ontext(text: string): void {
    if (this.#within === 'code') return
    if (this.#within !== null) this.#collected = upTo(TEXT_CHARS, this.#collected, text)
    if (this.#within === 'title') return
    this.#textChars += text.replaceAll(/\s+/g, '').length
    this.#text = upTo(TEXT_CHARS * 4, this.#text, text)
  }

  onclosetag(name: string): void {
    this.#open -= 1
    const text = shown(this.#collected, 80)
    if (name === 'title' && this.#within === 'title') this.#title ||= text
    else if (this.#within === 'heading' && /^h[1-6]$/.test(name)) this.#headings.add({ name: text, detail: name })
    else if (name === 'a' && this.#within === 'link') this.#addLink({ name: text, detail: shown(this.#target, 80) })
    else if (name !== 'script' && name !== 'style') return
    this.#within = null
    this.#collected = ''
  }

  findings(): Findings {
    if (this.#elements.size === 0) throw new Unreadable('it has no element')
    const elements = [...this.#elements].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    return {
      facts: [
        ...(this.#title === '' ? [] : [`The title is ${quoted(this.#title, 100)}.`]),
        ...(this.#description === '' ? [] : [`Description: ${quoted(this.#description, 200)}.`]),
        `${plural(this.#elementCount, 'element')}, ${plural(this.#textChars, 'character')} of text without white space.`,
      ],
      sections: [
        section('Headings', this.#headings),
        section('Fields of forms', this.#fields),
        {
          kind: 'entries',
          title: 'Elements',
          entries: elements.map(([name, times]) => ({ name: `${shown(name, 30)} ×${counted(times)}`, detail: '' })),
          isCut: elements.length === MOST_NAMES,
          use: 'always',
        },
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
    if (link.name === '' || this.#linkTexts.has(link.name)) return
    this.#linkTexts.add(link.name)
    this.#links.add(link)
  }

  #addField(element: string, { name, type }: Readonly<Record<string, string>>): void {
    if (name !== undefined) this.#fields.add({ name: shown(name, 40), detail: shown(type ?? element, 20) })
  }
}

/** The same text however it is cut into pieces. */
const upTo = (chars: number, before: string, piece: string): string =>
  before.length === chars ? before : (before + piece).trimStart().slice(0, chars)

const section = (title: string, { entries, total }: Kept): Extract<Section, { kind: 'entries' }> => ({
  kind: 'entries',
  title,
  entries,
  total,
  use: 'always',
})

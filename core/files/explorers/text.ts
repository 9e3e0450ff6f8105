import type { DecodedFile } from './decoded-file.ts'
import type { Explorer } from './explorer.ts'
import { LineSplitter } from './lines.ts'
import { counted, countOf, shown } from './shown.ts'
import type { Entry, Findings } from './summary-text.ts'

const EXCERPT_CHARS = 500
const HEADING_CHARS = 80
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** More headings are counted and not kept. */
const MOST_HEADINGS = 200

/** Markdown, an underlined line, a numbered section, or a line in capitals. */
const MARKDOWN_HEADING = /^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$/
const NUMBERED =
  /^(?:(?:chapter|section|part|appendix)\s+[\dIVXA-Z]{1,6}\b.{0,100}|\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+\p{Lu}.{2,80})$/iu
const CAPITALS = /^(?=[\p{L}\p{N}])(?=(?:.*\p{Lu}){4})[^\p{Ll}]{4,80}$/u

/** The beginning, the end, the headings and the length: what can be said of a text without understanding it. */
export const exploreText: Explorer = function* (file) {
  const outline = new TextOutline()
  const splitter = new LineSplitter()
  let end = ''
  for (const piece of file.pieces()) {
    end = (piece.length < EXCERPT_CHARS * 2 ? end + piece : piece).slice(-EXCERPT_CHARS * 2)
    for (const line of splitter.push(piece)) outline.add(line)
    outline.count(piece)
    yield
  }
  for (const line of splitter.end()) outline.add(line)
  return outline.findings(file, end)
}

class TextOutline {
  chars = 0
  #lines = 0
  #words = 0
  #longest = 0
  #lineChars = 0
  #isWithinWord = false
  #endsWithReturn = false
  #headings = 0
  readonly #entries: Entry[] = []
  #isFenced = false

  add(line: string): void {
    this.#lines += 1
    if (/^\s{0,3}(?:```|~~~)/.test(line)) this.#isFenced = !this.#isFenced
    if (this.#isFenced || line.length > 200) return
    const heading = headingIn(line)
    if (heading === null) return
    this.#headings += 1
    if (this.#entries.length < MOST_HEADINGS)
      this.#entries.push({ name: shown(heading, HEADING_CHARS), detail: `line ${counted(this.#lines)}` })
  }

  /** Counts what stands in a piece, also in lines of which only the beginning is kept. */
  count(piece: string): void {
    this.chars += piece.length
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index)
      // A run of what is no white space is a word.
      const isWithin = code > 0x20
      if (isWithin && !this.#isWithinWord) this.#words += 1
      this.#isWithinWord = isWithin
      if (code === LINE_FEED) this.#endLine()
      else this.#lineChars += 1
      this.#endsWithReturn = code === CARRIAGE_RETURN
    }
  }

  #endLine(): void {
    this.#longest = Math.max(this.#longest, this.#lineChars - Number(this.#endsWithReturn))
    this.#lineChars = 0
  }

  findings(file: DecodedFile, end: string): Findings {
    this.#endLine()
    const last = [...end].slice(-EXCERPT_CHARS).join('')
    return {
      facts: [
        `${countOf(this.#lines, 'line')}, ${countOf(this.#words, 'word')}, ${countOf(this.chars, 'character')}; the longest line has ${countOf(this.#longest, 'character')}.`,
      ],
      sections: [
        { kind: 'entries', title: 'Headings', entries: this.#entries, total: this.#headings, use: 'always' },
        { kind: 'excerpt', title: 'It begins with', text: file.head.slice(0, EXCERPT_CHARS), use: 'always' },
        {
          kind: 'excerpt',
          title: 'It ends with',
          text: this.chars > EXCERPT_CHARS ? last : '',
          isEnd: true,
          use: 'always',
        },
      ],
    }
  }
}

function headingIn(line: string): string | null {
  const text = line.trim()
  const markdown = MARKDOWN_HEADING.exec(line)?.[2]
  if (markdown !== undefined) return markdown
  return NUMBERED.test(text) || CAPITALS.test(text) ? text : null
}

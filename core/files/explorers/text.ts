import { plural } from '#core/text.ts'
import type { DecodedFile } from './decoded-file.ts'
import type { Explorer } from './explorer.ts'
import { counted, shown } from './shown.ts'
import type { Entry, Findings } from './summary-text.ts'

const EXCERPT_CHARS = 500
const HEADING_CHARS = 80
const SPACE = 0x20
/** More headings are counted and not kept. */
const MOST_HEADINGS = 200

/** Markdown, an underlined line, a numbered section, or a line in capitals. */
const MARKDOWN_HEADING = /^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$/
const NUMBERED =
  /^(?:(?:chapter|section|part|appendix)\s+[\dIVXA-Z]{1,6}\b.{0,100}|\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+\p{Lu}.{2,80})$/iu
const CAPITALS = /^(?=[\p{L}\p{N}])(?=(?:.*\p{Lu}){4})[^\p{Ll}]{4,80}$/u

/** The beginning, the end, the headings and the length: what can be said of a text without understanding it. */
export const exploreText: Explorer = function* (file) {
  const text = yield* file.text()
  const outline = new TextOutline()
  for (const line of text.split('\n')) {
    outline.add(line)
    yield
  }
  return outline.findings(file, text)
}

class TextOutline {
  #lines = 0
  #words = 0
  #longest = 0
  #headings = 0
  readonly #entries: Entry[] = []
  #isFenced = false

  add(written: string): void {
    const line = written.endsWith('\r') ? written.slice(0, -1) : written
    this.#lines += 1
    this.#longest = Math.max(this.#longest, line.length)
    this.#words += wordsIn(line)
    if (/^\s{0,3}(?:```|~~~)/.test(line)) this.#isFenced = !this.#isFenced
    if (this.#isFenced || line.length > 200) return
    const heading = headingIn(line)
    if (heading === null) return
    this.#headings += 1
    if (this.#entries.length < MOST_HEADINGS)
      this.#entries.push({ name: shown(heading, HEADING_CHARS), detail: `line ${counted(this.#lines)}` })
  }

  findings({ head, partBytes }: DecodedFile, text: string): Findings {
    // A line break at the very end begins no line.
    const lines = this.#lines - Number(text === '' || text.endsWith('\n'))
    const last = [...text.slice(-EXCERPT_CHARS * 2)].slice(-EXCERPT_CHARS).join('')
    return {
      facts: [
        `${plural(lines, 'line')}, ${plural(this.#words, 'word')}, ${plural(text.length, 'character')}; the longest line has ${plural(this.#longest, 'character')}.`,
      ],
      sections: [
        { kind: 'entries', title: 'Headings', entries: this.#entries, total: this.#headings, use: 'always' },
        { kind: 'excerpt', title: 'It begins with', text: head.slice(0, EXCERPT_CHARS), use: 'always' },
        {
          kind: 'excerpt',
          title: partBytes === null ? 'It ends with' : 'The part that was read ends with',
          text: text.length > EXCERPT_CHARS ? last : '',
          isEnd: true,
          use: 'always',
        },
      ],
    }
  }
}

/** Counts the runs of what is no white space. */
function wordsIn(line: string): number {
  let words = 0
  let isWithinWord = false
  for (let index = 0; index < line.length; index += 1) {
    const isWithin = line.charCodeAt(index) > SPACE
    if (isWithin && !isWithinWord) words += 1
    isWithinWord = isWithin
  }
  return words
}

function headingIn(line: string): string | null {
  const text = line.trim()
  const markdown = MARKDOWN_HEADING.exec(line)?.[2]
  if (markdown !== undefined) return markdown
  return NUMBERED.test(text) || CAPITALS.test(text) ? text : null
}

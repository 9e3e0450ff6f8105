/** One statement of a script. */
export type Statement = {
  /** Its beginning, without comments. */
  readonly text: string
  /** Pairs of brackets that stand in no others: the rows of an insertion. */
  readonly groups: number
  /** Lines of data that follow a statement which copies from the script itself. */
  readonly copiedRows: number
}

const KEPT_CHARS = 16 * 1024
/** Nothing that begins with more than one character is longer. */
const LOOK_AHEAD = 64
const PLAIN = /[^'"`;\-/#$()\\]+/y
const DOLLAR = /\$\w{0,60}\$/y

type State = 'plain' | 'line comment' | 'comment' | 'copied rows' | { readonly until: string }

/** Cuts a script into statements. A semicolon within quotation marks or comments does not end one. */
export class SqlStatements {
  readonly #take: (statement: Statement) => void
  #state: State = 'plain'
  #rest = ''
  #text = ''
  #depth = 0
  #groups = 0
  #copiedRows = 0
  #isWithinRow = false

  constructor(take: (statement: Statement) => void) {
    this.#take = take
  }

  write(piece: string): void {
    this.#read(this.#rest + piece, LOOK_AHEAD)
  }

  end(): void {
    this.#read(this.#rest, 0)
    this.#endStatement()
  }

  #read(text: string, ahead: number): void {
    const limit = text.length - ahead
    let at = 0
    while (at < limit) at = this.#step(text, at)
    this.#rest = text.slice(at)
  }

  /** Reads from a place to the next that matters, and returns that. */
  #step(text: string, at: number): number {
    if (this.#state === 'plain') return this.#plain(text, at)
    if (this.#state === 'copied rows') return this.#copied(text, at)
    if (this.#state === 'line comment') return this.#skipTo(text, at, '\n')
    if (this.#state === 'comment') return this.#skipTo(text, at, '*/')
    return this.#quoted(text, at, this.#state.until)
  }

  #plain(text: string, at: number): number {
    PLAIN.lastIndex = at
    const run = PLAIN.exec(text)?.[0]
    if (run !== undefined) return this.#keep(run, at)
    const character = text.charAt(at)
    const two = text.slice(at, at + 2)
    if (two === '--') this.#state = 'line comment'
    else if (two === '/*') this.#state = 'comment'
    else if (character === "'" || character === '"' || character === '`') this.#state = { until: character }
    else if (character === '$') return this.#dollar(text, at)
    else if (character === ';') return this.#endAt(at)
    else if (character === '(') {
      if (this.#depth === 0) this.#groups += 1
      this.#depth += 1
    } else if (character === ')') this.#depth = Math.max(0, this.#depth - 1)
    if (this.#state === 'line comment' || this.#state === 'comment') return at + 2
    return this.#keep(character, at)
  }

  #dollar(text: string, at: number): number {
    DOLLAR.lastIndex = at
    const tag = DOLLAR.exec(text)?.[0]
    if (tag === undefined) return this.#keep('$', at)
    this.#state = { until: tag }
    return this.#keep(tag, at)
  }

  #keep(run: string, at: number): number {
    const room = KEPT_CHARS - this.#text.length
    if (room > 0) this.#text += run.slice(0, room)
    return at + run.length
  }

  #skipTo(text: string, at: number, mark: string): number {
    const end = text.indexOf(mark, at)
    if (end < 0) return Math.max(at + 1, text.length - mark.length + 1)
    this.#state = 'plain'
    return end + mark.length
  }

  #quoted(text: string, at: number, until: string): number {
    const end = text.indexOf(until, at)
    const backslash = until.length === 1 ? text.indexOf('\\', at) : -1
    if (backslash >= 0 && (end < 0 || backslash < end)) return this.#keep(text.slice(at, backslash + 2), at)
    if (end < 0) return this.#keep(text.slice(at, Math.max(at + 1, text.length - until.length + 1)), at)
    this.#state = 'plain'
    return this.#keep(text.slice(at, end + until.length), at)
  }

  #endAt(at: number): number {
    if (/^COPY\s[\s\S]*\sFROM\s+stdin\s*$/i.test(this.#text.trim())) {
      this.#state = 'copied rows'
      // The rest of the line of the statement counts as a row.
      this.#copiedRows = -1
      this.#isWithinRow = false
    } else this.#endStatement()
    return at + 1
  }

  #copied(text: string, at: number): number {
    if (!this.#isWithinRow && text.startsWith('\\.', at)) {
      this.#state = 'plain'
      this.#endStatement()
      return at + 2
    }
    const end = text.indexOf('\n', at)
    this.#isWithinRow = end < 0
    if (end < 0) return text.length
    this.#copiedRows += 1
    return end + 1
  }

  #endStatement(): void {
    const text = this.#text.trim()
    if (text !== '') this.#take({ text, groups: this.#groups, copiedRows: Math.max(0, this.#copiedRows) })
    this.#text = ''
    this.#depth = 0
    this.#groups = 0
    this.#copiedRows = 0
  }
}

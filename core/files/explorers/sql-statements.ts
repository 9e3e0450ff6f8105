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
const MARKS_PER_STEP = 1000
/** Where something begins or ends that matters. */
const MARK = /['"`;()]|--|\/\*|\$\w{0,60}\$/g
const COPY = /^COPY\s[\s\S]*\sFROM\s+stdin\s*$/i

/** Cuts a script into statements. A semicolon within quotation marks or comments does not end one. */
export function* readStatements(script: string, take: (statement: Statement) => void): Generator<void> {
  let text = ''
  let depth = 0
  let groups = 0
  const end = (copiedRows = 0): void => {
    if (text.trim() !== '') take({ text: text.trim(), groups, copiedRows })
    text = ''
    depth = 0
    groups = 0
  }
  const keep = (from: number, to: number): void => {
    const room = KEPT_CHARS - text.length
    if (room > 0) text += script.slice(from, Math.min(to, from + room))
  }
  let marks = 0
  for (let at = 0; at < script.length; ) {
    marks += 1
    if (marks % MARKS_PER_STEP === 0) yield
    MARK.lastIndex = at
    const [mark = '', start = script.length] = markAt(MARK.exec(script))
    keep(at, start)
    at = start + mark.length
    if (mark === '--') at = placeBehind(script, '\n', at)
    else if (mark === '/*') at = placeBehind(script, '*/', at)
    else if (mark === ';' && COPY.test(text.trim())) {
      const { rows, next } = copiedRows(script, at)
      end(rows)
      at = next
    } else if (mark === ';') end()
    else {
      if (mark === '(') {
        groups += Number(depth === 0)
        depth += 1
      } else if (mark === ')') depth = Math.max(0, depth - 1)
      else if (mark.startsWith('$')) at = placeBehind(script, mark, at)
      else if (mark !== '') at = placeBehindQuote(script, mark, at)
      keep(start, at)
    }
  }
  end()
}

const markAt = (found: RegExpExecArray | null): [mark?: string, start?: number] =>
  found === null ? [] : [found[0], found.index]

function placeBehind(script: string, end: string, from: number): number {
  const at = script.indexOf(end, from)
  return at < 0 ? script.length : at + end.length
}

/** A quotation mark behind a backslash does not end a text. */
function placeBehindQuote(script: string, quote: string, from: number): number {
  const mark = new RegExp(`[\\\\${quote}]`, 'g')
  mark.lastIndex = from
  for (let found = mark.exec(script); found !== null; found = mark.exec(script)) {
    if (found[0] === quote) return mark.lastIndex
    mark.lastIndex += 1
  }
  return script.length
}

/** The rows that follow a statement which copies: every line up to one that is a backslash and a full stop. */
function copiedRows(script: string, from: number): { readonly rows: number; readonly next: number } {
  const end = script.startsWith('\\.', from) ? from : script.indexOf('\n\\.', from) + 1
  const isEnded = end > 0
  // The rest of the line of the statement is no row.
  const rows = script.slice(from, isEnded ? end : script.length).split('\n').length - 2
  return { rows: Math.max(0, rows), next: isEnded ? end + 2 : script.length }
}

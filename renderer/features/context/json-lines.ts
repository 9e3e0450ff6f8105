/** A line of JSON as it is shown. `text` is a piece of the JSON; joined, the pieces of a value are the value. */
export type JsonLine = {
  /** Levels of two spaces. */
  readonly indent: number
  /** The property name, on the line where its value begins. */
  readonly key: string | null
  readonly kind: 'bracket' | 'string' | 'literal'
  readonly text: string
  /** True when the line continues the one before it, within one string. */
  readonly continues: boolean
}

/** Longer lines are broken, so that a megabyte without a line break is not laid out as one box. */
const MAX_LINE = 1_000

/**
 * Formats JSON for reading: one line for each value, and strings broken at their line breaks. Copying gives the JSON
 * itself and not these lines.
 */
export function jsonLines(value: unknown): readonly JsonLine[] {
  const lines: JsonLine[] = []
  addValue(lines, value, 0, null, '')
  return lines
}

function addValue(lines: JsonLine[], value: unknown, indent: number, key: string | null, end: string): void {
  if (typeof value === 'string') addString(lines, value, indent, key, end)
  else if (value === null || typeof value !== 'object')
    lines.push({ indent, key, kind: 'literal', text: `${JSON.stringify(value)}${end}`, continues: false })
  else if (Array.isArray(value))
    addMembers(
      lines,
      value.map((item) => [null, item] as const),
      '[]',
      indent,
      key,
      end,
    )
  else addMembers(lines, Object.entries(value), '{}', indent, key, end)
}

function addMembers(
  lines: JsonLine[],
  members: readonly (readonly [string | null, unknown])[],
  brackets: string,
  indent: number,
  key: string | null,
  end: string,
): void {
  const bracket = (text: string, name: string | null): void => {
    lines.push({ indent, key: name, kind: 'bracket', text, continues: false })
  }
  if (members.length === 0) {
    bracket(`${brackets}${end}`, key)
    return
  }
  bracket(brackets.charAt(0), key)
  for (const [index, [name, value]] of members.entries())
    addValue(lines, value, indent + 1, name, index < members.length - 1 ? ',' : '')
  bracket(`${brackets.charAt(1)}${end}`, null)
}

function addString(lines: JsonLine[], value: string, indent: number, key: string | null, end: string): void {
  const pieces = value.split(/(?<=\n)/).flatMap(broken)
  if (pieces.length === 0) pieces.push('')
  for (const [index, piece] of pieces.entries()) {
    const escaped = JSON.stringify(piece).slice(1, -1)
    const open = index === 0 ? '"' : ''
    const close = index === pieces.length - 1 ? `"${end}` : ''
    const isFirst = index === 0
    lines.push({
      indent,
      key: isFirst ? key : null,
      kind: 'string',
      text: `${open}${escaped}${close}`,
      continues: !isFirst,
    })
  }
}

function broken(line: string): readonly string[] {
  if (line.length <= MAX_LINE) return [line]
  const pieces: string[] = []
  let start = 0
  while (start < line.length) {
    let stop = Math.min(line.length, start + MAX_LINE)
    // A line does not end inside a surrogate pair, because each half alone would be escaped.
    if (stop < line.length && isLeadSurrogate(line.charCodeAt(stop - 1))) stop--
    pieces.push(line.slice(start, stop))
    start = stop
  }
  return pieces
}

function isLeadSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

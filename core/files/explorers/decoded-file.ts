/** The encoding is recognised by this much of the beginning. */
const HEAD_BYTES = 64 * 1024
/** No more of a file is read, so that its text and everything made of it fit into memory. */
const MOST_READ_BYTES = 8_000_000
/** A part that is read ends with a line, if there is one so near to its end. */
const LONGEST_LAST_LINE = 1_000_000

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
type Encoding = (typeof ENCODINGS)[number]

/** Something that can be read from its start as often as wished. */
export type FileSource = {
  readonly name: string | null
  readonly mime: string | null
  readonly sizeBytes: number
  chunks(): Iterable<Uint8Array>
}

/** A file as text without line numbers. */
export class DecodedFile {
  readonly source: FileSource
  readonly encoding: Encoding
  /** The beginning of the text. */
  readonly head: string
  readonly isHeadWhole: boolean
  /** The first bytes, from which files that are no text are recognised. */
  readonly firstBytes: Uint8Array
  /** How much of the file was read when that is not all of it. */
  partBytes: number | null = null
  readonly #numbers: LineNumbers | null

  constructor(source: FileSource) {
    const bytes = firstBytesOf(source)
    this.source = source
    this.firstBytes = bytes
    this.isHeadWhole = bytes.length < HEAD_BYTES
    this.encoding = encodingOf(bytes)
    const head = new TextDecoder(this.encoding).decode(bytes, { stream: !this.isHeadWhole })
    this.#numbers = lineNumbersIn(head)
    this.head = this.#withoutNumbers(head)
  }

  /** Says how the text is written, as far as that is not what everybody expects. */
  get notes(): string[] {
    const encoding = this.encoding === 'windows-1252' ? 'not UTF-8, read as Windows-1252' : this.encoding.toUpperCase()
    return [
      ...(this.encoding === 'utf-8' ? [] : [encoding]),
      ...(this.#numbers === null ? [] : ['with line numbers, which are left out here']),
    ]
  }

  /** Reads the text, or its first lines where it is long. Bytes that are no text become replacement characters. */
  *text(mostBytes = MOST_READ_BYTES): Generator<void, string> {
    const chunks: Uint8Array[] = []
    let length = 0
    for (const chunk of this.source.chunks()) {
      chunks.push(chunk)
      length += chunk.length
      if (length > mostBytes) break
      yield
    }
    const isPart = length > mostBytes
    this.partBytes = isPart ? mostBytes : null
    const bytes = Buffer.concat(chunks, Math.min(length, mostBytes))
    const text = new TextDecoder(this.encoding).decode(bytes, { stream: isPart })
    return this.#withoutNumbers(isPart ? wholeLinesOf(text) : text)
  }

  #withoutNumbers(text: string): string {
    return this.#numbers === null ? text : withoutNumbers(text, this.#numbers)
  }
}

function wholeLinesOf(text: string): string {
  const end = text.lastIndexOf('\n') + 1
  return text.length - end > LONGEST_LAST_LINE ? text : text.slice(0, end)
}

function firstBytesOf(source: FileSource): Uint8Array {
  const chunks: Uint8Array[] = []
  let length = 0
  for (const chunk of source.chunks()) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= HEAD_BYTES) break
  }
  return Buffer.concat(chunks, Math.min(length, HEAD_BYTES))
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes.includes(0) || isUtf8(bytes)) return 'utf-8'
  return 'windows-1252'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/*
 * Tools that read files put a number before each line. What is in the file is recognised and described without them.
 */

/** Claude Code, `cat -n` (Claude Code before, OpenHands, SWE-agent), opencode. */
const STYLES = [/^ *(\d+)→/, /^ +(\d+)\t/, /^(\d{5,})\| /]
/** Behind line 99,999 the numbers of `cat -n` have no spaces before them. */
const PREFIXES = [/^ *\d+→/gm, /^ *\d+\t/gm, /^\d{5,}\| /gm]
const LINES_LOOKED_AT = 50
const FEWEST_LINES = 5
/** Some tools say before and behind the file what they did. */
const NUMBERED_SHARE = 0.8

/** Takes the numbers from lines. */
export type LineNumbers = { readonly prefix: RegExp }

/** Returns how the lines of a text are numbered, or null when they are not. */
export function lineNumbersIn(head: string): LineNumbers | null {
  const lines = head.split('\n', LINES_LOOKED_AT)
  if (lines.length < FEWEST_LINES) return null
  for (const [style, pattern] of STYLES.entries()) {
    const numbers = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).map(Number)
    const isAscending = numbers.every((number, at) => at === 0 || number === (numbers[at - 1] as number) + 1)
    if (numbers.length >= lines.length * NUMBERED_SHARE && isAscending) return { prefix: PREFIXES[style] as RegExp }
  }
  return null
}

export const withoutNumbers = (text: string, { prefix }: LineNumbers): string => text.replace(prefix, '')

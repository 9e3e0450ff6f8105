import type { FileSource } from './file-source.ts'
import { type LineNumbers, lineNumbersIn, piecesWithoutNumbers, withoutNumbers } from './line-numbers.ts'

/** Pieces are so small that no explorer needs longer than a slice of time for one. */
const PIECE_BYTES = 16 * 1024
/** The encoding is recognised by so much of the beginning. */
const HEAD_BYTES = 64 * 1024

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
type Encoding = (typeof ENCODINGS)[number]

/** A file as text without line numbers, which can be read from its start as often as wished. */
export class DecodedFile {
  readonly source: FileSource
  readonly encoding: Encoding
  /** The beginning of the text. */
  readonly head: string
  readonly isHeadWhole: boolean
  /** The first bytes, from which files that are no text are recognised. */
  readonly firstBytes: Uint8Array
  readonly #numbers: LineNumbers | null

  constructor(source: FileSource) {
    const bytes = firstBytesOf(source)
    this.source = source
    this.firstBytes = bytes
    this.isHeadWhole = bytes.length < HEAD_BYTES
    this.encoding = encodingOf(bytes)
    const head = new TextDecoder(this.encoding).decode(bytes, { stream: !this.isHeadWhole })
    this.#numbers = lineNumbersIn(head)
    this.head = this.#numbers === null ? head : withoutNumbers(head, this.#numbers)
  }

  /** Says how the text is written, as far as that is not what everybody expects. */
  get notes(): string[] {
    const encoding = this.encoding === 'windows-1252' ? 'not UTF-8, read as Windows-1252' : this.encoding.toUpperCase()
    return [
      ...(this.encoding === 'utf-8' ? [] : [encoding]),
      ...(this.#numbers === null ? [] : ['with line numbers, which are left out here']),
    ]
  }

  /** Text from the start, piece by piece. Bytes that are no text become replacement characters. */
  pieces(): Generator<string> {
    return this.#numbers === null ? this.#decoded() : piecesWithoutNumbers(this.#decoded(), this.#numbers)
  }

  *#decoded(): Generator<string> {
    const decoder = new TextDecoder(this.encoding)
    for (const bytes of cutChunks(this.source)) {
      const text = decoder.decode(bytes, { stream: true })
      if (text !== '') yield text
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  }
}

function* cutChunks(source: FileSource): Generator<Uint8Array> {
  for (const chunk of source.chunks()) {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES)
  }
}

function firstBytesOf(source: FileSource): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES)
  let length = 0
  for (const piece of cutChunks(source)) {
    const part = piece.subarray(0, HEAD_BYTES - length)
    head.set(part, length)
    length += part.length
    if (length === HEAD_BYTES) break
  }
  return head.subarray(0, length)
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

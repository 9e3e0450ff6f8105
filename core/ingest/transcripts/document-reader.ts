import { type ParsedTokenInfo, Tokenizer, TokenParser } from '@streamparser/json'
import { TokenFilter } from './token-filter.ts'

/** A value of the document with the names or indexes that lead to it. */
export type DocumentValue = { readonly value: unknown; readonly path: readonly (string | number)[] }

/** The number of bytes that a reader is given at a time. */
export const CHUNK_BYTES = 64 * 1024
/** The largest value that is read. The rest of a file with a larger one is not read. */
const LARGEST_VALUE_BYTES = 128 * 1024 * 1024
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

type Found = DocumentValue & { readonly line: number; readonly isTooDeep: boolean }

/** Reads one JSON document piece by piece and gives the values at the wanted paths, each as soon as it is complete. */
export class DocumentReader {
  readonly #tokenizer: Tokenizer
  readonly #parser: TokenParser
  readonly #filter: TokenFilter
  #found: Found[] = []
  /** The number of lines before the current chunk, and the offset of the chunk in the file. */
  #linesBefore = 1
  #chunk: Uint8Array = new Uint8Array()
  #chunkFrom = 0
  #offset = 0
  #countedTo = 0
  #sinceValue = 0
  #error: string | null = null

  constructor(paths: readonly string[]) {
    this.#tokenizer = new ExactTokenizer({ stringBufferSize: CHUNK_BYTES })
    this.#parser = new TokenParser({ paths: [...paths], keepStack: false })
    this.#filter = new TokenFilter({ wanted: wantedNames(paths), write: (token) => this.#parser.write(token) })
    this.#tokenizer.onToken = (token: ParsedTokenInfo): void => {
      this.#offset = token.offset
      this.#filter.take(token)
    }
    this.#parser.onValue = ({ value, key, stack }) => {
      this.#sinceValue = 0
      const path = [...stack.slice(1).map((level) => level.key), key].filter((step) => step !== undefined)
      this.#found.push({ value, path, line: this.#line(), isTooDeep: this.#filter.takeTooDeep() })
    }
    this.#tokenizer.onError = (error) => this.#fail(error)
    this.#parser.onError = (error) => this.#fail(error)
  }

  get isOver(): boolean {
    return this.#error !== null
  }

  /** Takes the next piece of the file. A byte order mark at its beginning is left out. */
  write(piece: Buffer): void {
    const isFirst = this.#chunkFrom === 0 && this.#chunk.length === 0
    const chunk = isFirst && piece.subarray(0, 3).equals(BYTE_ORDER_MARK) ? piece.subarray(3) : piece
    this.#linesBefore = this.#lineAt(this.#chunk.length)
    this.#chunkFrom += this.#chunk.length
    this.#chunk = chunk
    this.#countedTo = 0
    this.#sinceValue += chunk.length
    this.#tokenizer.write(chunk)
    if (this.#sinceValue > LARGEST_VALUE_BYTES) this.#error ??= 'a value is too large: the rest of the file is not read'
  }

  /** Returns the values that were completed since the last call. */
  values(): Found[] {
    const found = this.#found
    this.#found = []
    return found
  }

  /** Says why the document was not read to its end. */
  problem(): { line: number; reason: string } | null {
    if (this.#parser.isEnded && this.#error === null) return null
    return { line: this.#line(), reason: this.#error ?? 'not valid JSON: the document is cut off' }
  }

  #fail(error: Error): void {
    // The message of the parser quotes the text, so it is replaced.
    this.#error ??= error.message === '' ? 'not valid JSON' : 'not valid JSON: nothing behind this place is read'
  }

  #line(): number {
    return this.#lineAt(this.#offset - this.#chunkFrom)
  }

  #lineAt(end: number): number {
    for (let index = this.#countedTo; index < Math.min(end, this.#chunk.length); index += 1) {
      if (this.#chunk[index] === LINE_FEED) this.#linesBefore += 1
    }
    this.#countedTo = Math.max(this.#countedTo, end)
    return this.#linesBefore
  }
}

/** Gives `messages` and `info` for `$.messages.*` and `$.info`, or null when a path leads to every value. */
function wantedNames(paths: readonly string[]): ReadonlySet<string> | null {
  const names = paths.map((path) => path.split('.')[1] ?? '*')
  return names.includes('*') ? null : new Set(names)
}

type RawJson = { rawJSON(text: string): unknown }

/** Keeps the spelling of numbers that JavaScript would write differently, as for lines. */
class ExactTokenizer extends Tokenizer {
  protected override parseNumber(text: string): number {
    const value = Number(text)
    return String(value) === text ? value : ((JSON as unknown as RawJson).rawJSON(text) as number)
  }
}

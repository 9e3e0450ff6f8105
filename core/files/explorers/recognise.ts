import type { DecodedFile } from './decoded-file.ts'
import type { FileType } from './file-type.ts'
import { JsonTokens } from './json-tokens.ts'

/** Says what a file is: by its content where that is clear, else by its name, then by its mime type. */
export function recognise(file: DecodedFile): FileType {
  if (file.firstBytes.length === 0) return 'empty'
  if (isBinary(file)) return 'binary'
  return jsonIn(file) ?? 'text'
}

/** A text has no bytes of zero and next to no control characters. */
function isBinary({ encoding, firstBytes, head }: DecodedFile): boolean {
  if (encoding.startsWith('utf-16')) return false
  if (firstBytes.includes(0)) return true
  let controls = 0
  for (const byte of firstBytes) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) controls += 1
  return controls > Math.max(8, head.length * 0.05)
}

/** A document or records: the head has to be JSON as far as it goes. */
function jsonIn({ head, isHeadWhole }: DecodedFile): FileType | null {
  const text = head.trimStart()
  if (!/^[{[]/.test(text)) return null
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first = '', second] = lines
  if (
    second !== undefined &&
    isValue(first) &&
    (lines.length > 2 || isHeadWhole ? isValue(second) : /^\s*[{[]/.test(second))
  )
    return 'jsonl'
  return isJson(text, isHeadWhole) ? 'json' : null
}

function isValue(line: string): boolean {
  const tokens = new JsonTokens(NOBODY)
  tokens.write(Buffer.from(line))
  tokens.end()
  return tokens.error === null && /^\s*[{[]/.test(line)
}

function isJson(text: string, isWhole: boolean): boolean {
  const tokens = new JsonTokens(NOBODY)
  tokens.write(Buffer.from(text))
  if (isWhole) tokens.end()
  return tokens.error === null && tokens.depth > 0
}

const ignored = (): void => undefined
const NOBODY = {
  open: ignored,
  close: ignored,
  key: ignored,
  text: ignored,
  number: ignored,
  boolean: ignored,
  null: ignored,
}

import { withoutYielding } from '#core/yielding.ts'
import type { DecodedFile } from './decoded-file.ts'
import { delimiterOf } from './delimiter.ts'
import { isLikelyDiff } from './diff.ts'
import type { FileType } from './file-type.ts'
import { JsonReader } from './json-reader.ts'
import { likelyType, typeByMime, typeByName } from './type-signs.ts'

/**
 * Says what a file is. What its content says clearly counts most, then its name, then its mime type, and at last what its
 * content looks like.
 */
export function recognise(file: DecodedFile): FileType {
  const { head, source } = file
  if (file.firstBytes.length === 0) return 'empty'
  if (isBinary(file)) return 'binary'
  const told = typeByName(source.name) ?? typeByMime(source.mime)
  const marked = markedType(file, told)
  if (marked !== null) return marked
  if (told === 'csv' || told === 'tsv') return head.includes('\t') && delimiterOf(head) === '\t' ? 'tsv' : 'csv'
  if (told !== null && told !== 'text' && told !== 'log') return told
  return likelyType(head) ?? told ?? 'text'
}

/** A text has no bytes of zero and next to no control characters. */
function isBinary({ encoding, firstBytes }: DecodedFile): boolean {
  if (encoding.startsWith('utf-16')) return false
  if (firstBytes.includes(0)) return true
  let controls = 0
  for (const byte of firstBytes) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) controls += 1
  return controls > Math.max(8, firstBytes.length * 0.05)
}

/** Types that a file says of itself, whatever it is called. */
function markedType(file: DecodedFile, told: FileType | null): FileType | null {
  const head = file.head.trimStart()
  const json = jsonIn(file)
  if (json === 'json') return told === 'notebook' || NOTEBOOK.test(head) ? 'notebook' : 'json'
  if (json !== null) return json
  // A document that is damaged from the start is still the best guess of its name.
  if ((told === 'json' || told === 'jsonl' || told === 'notebook') && !/^[{["\d-]|^(?:true|false|null)\b/.test(head))
    return likelyType(head) ?? 'text'
  if (/^<\?xml\b/i.test(head)) return /<html[\s>]/i.test(head.slice(0, 2000)) ? 'html' : 'xml'
  if (/^(?:<!doctype html|<html[\s>])/i.test(head)) return 'html'
  if (/^<\?php\b/.test(head)) return 'php'
  if (
    told !== 'markdown' &&
    told !== 'pdf-text' &&
    isLikelyDiff(head.slice(0, 8000)) &&
    /^(?:diff |--- |From |commit |Index: )/.test(head)
  )
    return 'diff'
  return interpreterOf(head)
}

const NOTEBOOK = /"(?:cells|nbformat)"\s*:[\s\S]*"cell_type"\s*:/

/** The language that the first line of a script names. */
function interpreterOf(head: string): FileType | null {
  const program = /^#!\s*\S*?(?:\/env\s+(?:-S\s+)?)?([\w.]+)(?:\s|$)/.exec(head.slice(0, 200))?.[1]
  if (program === undefined) return null
  if (/^(?:ba|z|k|da|a)?sh$/.test(program)) return 'shell'
  if (/^python/.test(program)) return 'python'
  if (/^(?:node|bun)$/.test(program)) return 'javascript'
  if (/^(?:tsx|deno)$/.test(program)) return 'typescript'
  if (/^ruby/.test(program)) return 'ruby'
  return /^php/.test(program) ? 'php' : 'code'
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
  const reader = new JsonReader(line)
  withoutYielding(reader.read())
  return reader.error === null && /^\s*[{[]/.test(line)
}

function isJson(text: string, isWhole: boolean): boolean {
  const reader = new JsonReader(text)
  withoutYielding(reader.read())
  return (reader.error === null || (!isWhole && reader.isErrorAtEnd)) && reader.depth > 0
}

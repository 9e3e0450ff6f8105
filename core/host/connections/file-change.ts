import { readFileSync } from 'node:fs'
import { fileError } from '#core/sqlite/memory-file.ts'

/** What a file of an agent holds before and after a change. Null means that there is no file. */
export type FileChange = {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** A field of a JSON document, by the names that lead to it, and the value that it gets. */
export type JsonEntry = { readonly at: readonly string[]; readonly value: unknown }

/**
 * Returns the text of a file with every byte of it, so that writing it back changes none. Null for a missing file.
 * @throws SyntaxError for what is no UTF-8; LcmError file_not_readable
 */
export function readExactly(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (error instanceof TypeError) throw new SyntaxError(`${path} is not in UTF-8.`)
    throw fileError(error, path)
  }
}

type Json = Readonly<Record<string, unknown>>

/**
 * Returns a JSON document with some fields set; the others keep their order, and the document its indentation.
 * @throws SyntaxError for a document that is no JSON object
 */
export function withEntries(text: string | null, entries: readonly JsonEntry[]): string {
  const document = objectIn(text)
  const next = entries.reduce((changed, { at, value }) => setIn(changed, at, value), document)
  return printed(next, text)
}

/** The same without these fields, and without objects that they leave empty. Null when nothing is left. */
export function withoutEntries(text: string, entries: readonly JsonEntry[]): string | null {
  const next = entries.reduce<Json | undefined>(
    (changed, { at }) => (changed === undefined ? undefined : removedIn(changed, at)),
    objectIn(text),
  )
  return next === undefined ? null : printed(next, text)
}

/** Whether a file says what it will say: the same bytes, or the same JSON however it is written. */
export function isSame({ path, before, after }: FileChange): boolean {
  if (before === after) return true
  if (before === null || after === null || !path.endsWith('.json')) return false
  try {
    return JSON.stringify(objectIn(before)) === JSON.stringify(objectIn(after))
  } catch {
    return false
  }
}

/** Returns undefined where nothing is, also in what is no JSON. */
export function valueAt(text: string | null, at: readonly string[]): unknown {
  try {
    return at.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), objectIn(text))
  } catch {
    return undefined
  }
}

function setIn(document: Json, [name, ...rest]: readonly string[], value: unknown): Json {
  if (name === undefined) return document
  const inner = document[name]
  return { ...document, [name]: rest.length === 0 ? value : setIn(isJson(inner) ? inner : {}, rest, value) }
}

function removedIn(document: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined || !(name in document)) return document
  const { [name]: inner, ...others } = document
  const left = rest.length > 0 && isJson(inner) ? removedIn(inner, rest) : undefined
  // Only its own place in the order keeps a document the same.
  if (left !== undefined) return { ...document, [name]: left }
  return Object.keys(others).length === 0 ? undefined : others
}

function objectIn(text: string | null): Json {
  if (text === null || text.trim() === '') return {}
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  if (!isJson(value)) throw new SyntaxError('The document is no JSON object.')
  return value
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function printed(document: Json, like: string | null): string {
  const indent = /\n([ \t]+)"/.exec(like ?? '')?.[1] ?? '  '
  return `${JSON.stringify(document, null, indent)}\n`
}

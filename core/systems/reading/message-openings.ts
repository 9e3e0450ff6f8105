import { parsedJson } from '#core/parsed-json.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { openingsOfMessages, openingsOfReasoning, openingsOfTools } from './texts.ts'

/**
 * What messages say first, up to a number of bytes, by their numbers: their text; without one their first call or
 * result, else their reasoning. Empty for a message that says nothing.
 */
export function messageOpenings(db: ReadDb, ids: readonly number[], bytes: number): ReadonlyMap<number, string> {
  const openings = new Map(openingsOfMessages(db, ids, bytes))
  const silent = [...openings].flatMap(([id, text]) => (text.trim() === '' ? [id] : []))
  if (silent.length === 0) return openings
  for (const [id, [tool]] of openingsOfTools(db, silent, bytes)) if (tool) openings.set(id, toolLine(tool))
  const mute = silent.filter((id) => openings.get(id)?.trim() === '')
  for (const [id, text] of openingsOfReasoning(db, mute, bytes)) openings.set(id, text)
  return openings
}

type Tool = { readonly name: string | null; readonly input: string; readonly output: string }

/** A call in one line: its tool and the first text that it was given. A result: its tool and how it begins. */
export function toolLine({ name, input, output }: Tool): string {
  if (input.trim() === '' && output.trim() !== '') return `${name ?? 'tool'}: ${output}`
  return `${name ?? 'tool'} ${firstArgument(input)}`.trim()
}

/** The first value in a JSON object that is a text or a list of texts; of JSON that is cut, as far as it goes. */
function firstArgument(input: string): string {
  const parsed = parsedJson(input)
  if (parsed === undefined) {
    const [, text] = /^\s*\{[^[\]{}]*?:\s*"((?:[^"\\]|\\.)+)/s.exec(input) ?? []
    return text === undefined ? input : unquoted(text)
  }
  if (typeof parsed !== 'object' || parsed === null) return String(parsed)
  const first = Object.values(parsed).find((value) => typeof value === 'string' || isTexts(value))
  return first === undefined ? (input.trim() === '{}' ? '' : input) : [first].flat().join(' ')
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')

const unquoted = (text: string): string =>
  (parsedJson(`"${text.replace(/[\r\n]/g, ' ')}"`) as string | undefined) ?? text

import type { Role } from '../../contract/ids.ts'
import { sha256 } from '../../hashing.ts'

type SaidCall = { readonly id: string | null; readonly name: string | null; readonly input: string | null }

/** A message as both sides have it, whatever their shapes. */
export type Said = {
  readonly role: Role
  readonly content: string
  readonly reasoning: string
  /** What tools answered. */
  readonly output: string
  readonly calls: readonly SaidCall[]
  /** Ids of the calls that it answers. */
  readonly answers: readonly string[]
}

/**
 * What a message is recognised by: hashes of 52 bits, so that a million messages fit into memory. Systems trim, wrap and
 * join text, so white space does not count.
 */
export type Fingerprint = {
  readonly role: Role
  /** Role and what is most telling of: content, tool output, calls, reasoning. */
  readonly primary: number
  /** The same and the others, without the role. */
  readonly any: readonly number[]
  readonly callIds: readonly number[]
  readonly answerIds: readonly number[]
  /** Of names and arguments of the calls; 0 where there are none, or arguments are no JSON. */
  readonly calls: number
  /** It holds nothing but thoughts, or nothing but calls, or nothing at all. */
  readonly holds: 'text' | 'calls' | 'thoughts' | 'nothing'
}

export function fingerprintOf(said: Said): Fingerprint {
  const content = squeezed(said.content)
  const output = squeezed(said.output)
  const reasoning = squeezed(said.reasoning)
  const calls = said.calls.map(callText).join('\n')
  const holds =
    content !== '' || output !== ''
      ? 'text'
      : said.calls.length > 0
        ? 'calls'
        : reasoning === ''
          ? 'nothing'
          : 'thoughts'
  const texts = [content, output, calls, reasoning].filter((text) => text !== '')
  const [most = ''] = texts
  // A message with text is not known by its calls or thoughts, which are never told apart from another's.
  const telling = holds === 'text' ? [content, output].filter((text) => text !== '') : texts.slice(0, 1)
  return {
    role: said.role,
    primary: digest(`${said.role}\n${most}`),
    any: [...new Set(telling.map(digest))],
    callIds: said.calls.flatMap(({ id }) => (id === null ? [] : digest(id))),
    answerIds: said.answers.map(digest),
    calls: said.calls.length > 0 && said.calls.every(({ input }) => parsed(input) !== undefined) ? digest(calls) : 0,
    holds,
  }
}

/** Text without white space and what cannot be seen. */
export const squeezed = (text: string): string => text.replace(/[\s\u200b-\u200d\u2060\ufeff]+/gu, '')

const digest = (text: string): number => Number.parseInt(sha256(text.toWellFormed()).slice(0, 13), 16)

function callText({ name, input }: SaidCall): string {
  const value = parsed(input)
  return `${name ?? ''}(${value === undefined ? squeezed(input ?? '') : stable(value)})`
}

function parsed(input: string | null): unknown {
  if (input === null || input.trim() === '') return {}
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

/** JSON with the names of objects in order: systems write it anew. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

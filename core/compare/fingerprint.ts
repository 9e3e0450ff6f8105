import type { Role } from '../contract/ids.ts'
import { sha256 } from '../hashing.ts'
import { parsedJson } from '../parsed-json.ts'

type ComparedCall = { readonly id: string | null; readonly name: string | null; readonly input: string | null }

/** A message in the common form of both sides. */
export type ComparedMessage = {
  readonly role: Role
  readonly content: string
  readonly reasoning: string
  /** The output of tools. */
  readonly output: string
  readonly calls: readonly ComparedCall[]
  /** Ids of the calls that the message answers. */
  readonly answers: readonly string[]
}

/**
 * Hashes of 52 bits by which a message is recognised, so that a million messages fit into memory. Systems trim, wrap
 * and join text, so white space does not count.
 */
export type Fingerprint = {
  readonly role: Role
  /** Hash of the role and the most distinctive part: content, tool output, calls or reasoning. */
  readonly primary: number
  /** Hashes of that part and the others, without the role. */
  readonly any: readonly number[]
  readonly callIds: readonly number[]
  readonly answerIds: readonly number[]
  /** Hash of names and arguments of the calls. 0 when there are none, or when arguments are not JSON. */
  readonly calls: number
  /** Whether the message has text, only calls, only reasoning, or nothing. */
  readonly holds: 'text' | 'calls' | 'thoughts' | 'nothing'
  /** Number of UTF-16 units of the most distinctive part, without white space. */
  readonly units: number
  readonly isReference: boolean
}

const FILE_REFERENCE =
  /\bfile_[0-9a-f]{16}\b|\[(?:large file|externali[sz]ed|lcm (?:file|payload))|lcm-(?:files|large-outputs)\//i

/** Whether a text names a file to which a system moved a long text. */
export const isFileReference = (text: string): boolean => FILE_REFERENCE.test(text)

export function fingerprintOf(said: ComparedMessage): Fingerprint {
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
  // A message with text is not recognised by its calls or reasoning, which many messages share.
  const telling = holds === 'text' ? [content, output].filter((text) => text !== '') : texts.slice(0, 1)
  return {
    role: said.role,
    primary: digest(`${said.role}\n${most}`),
    any: [...new Set(telling.map(digest))],
    callIds: said.calls.flatMap(({ id }) => (id === null ? [] : digest(id))),
    answerIds: said.answers.map(digest),
    calls: said.calls.length > 0 && said.calls.every(({ input }) => parsed(input) !== undefined) ? digest(calls) : 0,
    holds,
    units: most.length,
    isReference: isFileReference(said.content) || isFileReference(said.output),
  }
}

/** Whether the second message may be the first one, whose long text the system moved to a file. */
export const isMovedToFile = (said: Fingerprint, stored: Fingerprint): boolean =>
  stored.isReference && !said.isReference && said.units > stored.units

/** Removes white space and invisible characters. */
export const squeezed = (text: string): string => text.replace(/[\s\u200b-\u200d\u2060\ufeff]+/gu, '')

export const digest = (text: string): number => Number.parseInt(sha256(text.toWellFormed()).slice(0, 13), 16)

function callText({ name, input }: ComparedCall): string {
  const value = parsed(input)
  return `${name ?? ''}(${value === undefined ? squeezed(input ?? '') : stable(value)})`
}

const parsed = (input: string | null): unknown => (input === null || input.trim() === '' ? {} : parsedJson(input))

/** Serialises JSON with sorted object keys, because systems write it again in their own order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

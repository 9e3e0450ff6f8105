import { once } from 'node:events'
import type { ErrorCode } from '#core/contract/error.ts'
import { toErrorInfo } from '#core/errors.ts'
import { singleLine } from '#core/text.ts'
import { toCliJson } from './cli-json.ts'
import { escaped, printable } from './printable.ts'

/**
 * The answer of a command: a document for programs and the same as text for people, or what is too long to be held at
 * once.
 */
export type Answer =
  | {
      readonly json: unknown
      readonly text: () => string
      /** The text is a document that ends as it should, and gets no line break behind it. */
      readonly isDocument?: true
      readonly exitCode?: number
    }
  | { readonly pieces: (asJson: boolean) => AsyncIterable<string | Uint8Array>; readonly exitCode?: number }
  /** The command has printed by itself. */
  | { readonly exitCode: number }

export const EXIT = { done: 0, failed: 1, usage: 2, findings: 3, retry: 4, unopenable: 5, interrupted: 130 } as const

const UNOPENABLE: ReadonlySet<ErrorCode> = new Set([
  'file_missing',
  'file_is_folder',
  'file_not_readable',
  'file_empty',
  'file_truncated',
  'file_corrupt',
  'not_a_database',
  'not_a_memory',
  'newer_version',
  'no_memory_open',
  'unsupported_system',
  'server_refused',
])

function exitCodeOf(code: ErrorCode): number {
  if (UNOPENABLE.has(code)) return EXIT.unopenable
  if (code === 'invalid_argument' || code === 'conversation_required') return EXIT.usage
  if (code === 'locked' || code === 'server_unavailable' || code === 'conflict') return EXIT.retry
  if (code === 'cancelled') return EXIT.interrupted
  return EXIT.failed
}

/**
 * Prepares what is printed, as far as it is held at once, so that nothing is printed when that fails. Returns a
 * function that prints it.
 */
export function prepareAnswer(answer: Answer, asJson: boolean): () => Promise<void> {
  if ('pieces' in answer) return () => printPieces(answer.pieces(asJson), asJson)
  if (!('json' in answer)) return async () => undefined
  const printed = asJson
    ? `${jsonDocument(answer.json)}\n`
    : harmless(`${answer.text()}${answer.isDocument ? '' : '\n'}`, printable)
  return async () => void process.stdout.write(printed)
}

async function printPieces(pieces: AsyncIterable<string | Uint8Array>, asJson: boolean): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const piece of pieces) {
    const isForTerminal = process.stdout.isTTY && typeof piece !== 'string'
    const read = isForTerminal ? decoder.decode(piece, { stream: true }) : piece
    const shown = typeof read === 'string' ? harmless(read, asJson ? obeyedByNone : printable) : read
    if (!process.stdout.write(shown)) await once(process.stdout, 'drain')
  }
}

/** A terminal obeys control characters, so it is shown escapes. A file and another program get the text as it is. */
const harmless = (text: string, escaping: (text: string) => string): string =>
  process.stdout.isTTY ? escaping(text) : text

/**
 * Prints one line to stderr, and the same as JSON to stdout with --json. A stack is printed only with `LCM_DEBUG=1`.
 * Returns the exit code.
 */
export function printError(error: unknown, asJson: boolean): number {
  const info = toErrorInfo(error)
  process.stderr.write(`lcm: ${info.code}: ${oneLine(info.message)}\n`)
  if (process.env.LCM_DEBUG === '1' && error instanceof Error) process.stderr.write(`${printable(error.stack ?? '')}\n`)
  if (asJson) process.stdout.write(`${jsonDocument({ error: { details: {}, ...info } })}\n`)
  return exitCodeOf(info.code)
}

/** Prints a note about the answer, which is on standard output. */
export function printNote(message: string): void {
  process.stderr.write(`lcm: ${oneLine(message)}\n`)
}

const jsonDocument = (value: unknown): string => obeyedByNone(JSON.stringify(toCliJson(value), null, 2))

/** Escapes characters that could move the cursor of a terminal. The document stays JSON for every parser. */
const obeyedByNone = (json: string): string => json.replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, escaped)

const oneLine = (text: string): string => printable(singleLine(text))

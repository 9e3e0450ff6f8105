import type { ErrorCode } from '../contract/error.ts'
import { toErrorInfo } from '../errors.ts'
import { toCliJson } from './cli-json.ts'
import { escaped, printable } from './text.ts'

/** What a command answers: the document for programs, and the same for people. */
export type Answer = { readonly json: unknown; readonly text: () => string; readonly exitCode?: number }

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
])

export function exitCodeOf(code: ErrorCode): number {
  if (UNOPENABLE.has(code)) return EXIT.unopenable
  if (code === 'invalid_argument' || code === 'conversation_required') return EXIT.usage
  if (code === 'locked') return EXIT.retry
  if (code === 'cancelled') return EXIT.interrupted
  return EXIT.failed
}

export function printAnswer(answer: Answer, asJson: boolean): void {
  process.stdout.write(`${asJson ? jsonDocument(answer.json) : printable(answer.text())}\n`)
}

/** One line on stderr; the same as JSON on stdout with --json. A stack only for `LCM_DEBUG=1`. Returns the exit code. */
export function printError(error: unknown, asJson: boolean): number {
  const info = toErrorInfo(error)
  process.stderr.write(`lcm: ${info.code}: ${oneLine(info.message)}\n`)
  if (process.env.LCM_DEBUG === '1' && error instanceof Error) process.stderr.write(`${printable(error.stack ?? '')}\n`)
  if (asJson) process.stdout.write(`${jsonDocument({ error: { details: {}, ...info } })}\n`)
  return exitCodeOf(info.code)
}

/** A document is JSON whatever it is parsed with, and no terminal obeys it: what could move a cursor is escaped. */
function jsonDocument(value: unknown): string {
  return JSON.stringify(toCliJson(value), null, 2).replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, escaped)
}

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ').trim())

import type { ErrorCode } from '../contract/error.ts'
import { toErrorInfo } from '../errors.ts'
import { toCliJson } from './cli-json.ts'

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
  const text = asJson ? JSON.stringify(toCliJson(answer.json), null, 2) : answer.text()
  process.stdout.write(`${text}\n`)
}

/** One line on stderr; the same as JSON on stdout with --json. A stack only for `LCM_DEBUG=1`. Returns the exit code. */
export function printError(error: unknown, asJson: boolean): number {
  const info = toErrorInfo(error)
  process.stderr.write(`lcm: ${info.code}: ${info.message.replace(/\s*\n\s*/g, ' ')}\n`)
  if (process.env.LCM_DEBUG === '1' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  if (asJson) process.stdout.write(`${JSON.stringify({ error: { details: {}, ...info } })}\n`)
  return exitCodeOf(info.code)
}

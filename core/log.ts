// Why it is so: docs/decisions/0024-log-and-counts.md

import { resolve } from 'node:path'
import type { LineLevel, LogFields, LogSource } from './contract/activity.ts'
import type { LogLevel } from './contract/lists.ts'
import { toErrorInfo } from './errors.ts'
import { sha256 } from './hashing.ts'

/** Something that happened, for the log and the counts. */
export type LogEvent = {
  readonly atMs: number
  readonly level: LineLevel
  readonly source: LogSource
  readonly event: string
  readonly fields: LogFields
}

export type EventListener = {
  /** The least level that is written to the log. */
  readonly level: LogLevel
  take(event: LogEvent): void
  /** Writes down what was taken. */
  flush(): Promise<void>
}

let listener: EventListener | null = null

/**
 * Says that something happened. Nobody listens unless a door has begun to record (`core/activity/recorder.ts`), and
 * then an event is only put into a list here, because this stands on hot paths. It never fails.
 */
export function logEvent(level: LineLevel, source: LogSource, event: string, fields: LogFields = {}): void {
  listener?.take({ atMs: Date.now(), level, source, event, fields })
}

/** Gives every event of this thread to one listener, or to none. */
export function listenToEvents(next: EventListener | null): void {
  listener = next
}

/** What this thread logs; `silent` when nobody listens. */
export const loggedLevel = (): LogLevel => listener?.level ?? 'silent'

/** Comes back when everything that happened in this thread is written down, for those who read that. */
export const settleEvents = async (): Promise<void> => listener?.flush()

const keys = new Map<string, string>()
const MOST_KEYS = 1000

/** Names a memory file in the log without its path. The path has to be absolute. */
export function memoryKey(path: string): string {
  const known = keys.get(path)
  if (known !== undefined) return known
  const key = sha256(path).slice(0, 12)
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(path, key)
  return key
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Names a session in the log: by its id when that is a UUID, otherwise by a hash, as it may be a path or a given name. */
export const sessionKey = (id: string): string => (UUID.test(id) ? id : sha256(id).slice(0, 12))

/** Milliseconds since `start` of `performance.now()`, to the hundredth. */
export const elapsedMs = (start: number): number => Math.round((performance.now() - start) * 100) / 100

/** How bad a failure is for those who run the program. A user's mistake is none of its faults. */
export function levelOfError(code: NonNullable<LogFields['error_code']>): LineLevel {
  if (code === 'internal') return 'error'
  return EXPECTED.has(code) ? 'info' : 'warn'
}
const EXPECTED: ReadonlySet<string> = new Set([
  'cancelled',
  'conversation_required',
  'invalid_argument',
  'no_memory_open',
  'not_found',
])

/**
 * Describes an error without its message, which may quote a query, a path or a text. Of an unexpected error it says
 * where it came from.
 */
export function errorFields(error: unknown): LogFields {
  const { code } = toErrorInfo(error)
  if (code !== 'internal') return { error_code: code }
  return { error_code: code, error_name: nameOf(error), stack: framesOf(error) }
}

/** From this on a call is noticed by whoever waits for it. */
const SLOW_MS = 200

/**
 * Logs a call on a memory by the name of its procedure. What it was asked is not logged, but for the conversation.
 * @param error null when the call was answered
 */
export function logCall(procedure: string, path: string | null, input: unknown, start: number, error: unknown): void {
  const conversation = typeof input === 'object' && input !== null && 'conversationId' in input && input.conversationId
  const fields = {
    procedure,
    duration_ms: elapsedMs(start),
    ...(path !== null && { memory: memoryKey(resolve(path)) }),
    ...(Number.isSafeInteger(conversation) && { conversation_id: Number(conversation) }),
  }
  if (error !== null) {
    const { error_code = 'internal', ...rest } = errorFields(error)
    logEvent(levelOfError(error_code), 'call', 'call.failed', { ...fields, error_code, ...rest })
  } else if (fields.duration_ms >= SLOW_MS) logEvent('info', 'call', 'call.slow', fields)
  else logEvent('debug', 'call', 'call.done', fields)
}

const nameOf = (error: unknown): string =>
  error instanceof Error && /^\w{1,40}$/.test(error.name) ? error.name : typeof error

/** `query (grep.ts:31:5)`: the lines of a stack after its message, without folders. */
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { stack = '', message } = error
  const frames = stack.slice(stack.indexOf(message) + message.length).matchAll(FRAME)
  return [...frames].slice(0, 20).map(([, name, place]) => (name === undefined ? String(place) : `${name} (${place})`))
}
const FRAME = /^ {4}at (?:(?:async )?([\w.#<>$ [\]]{1,60}) \()?(?:.*[\\/])?([\w.-]{1,40}:\d+:\d+)\)?$/gm

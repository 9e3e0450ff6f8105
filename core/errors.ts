import type { ErrorCode, ErrorInfo } from './contract/error.ts'

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(['locked', 'server_unavailable'])

/**
 * The one error that callers are meant to see. `message` says what happened, to what, and what to do next; `details`
 * carries facts for programs, never conversation text and never keys.
 */
export class LcmError extends Error {
  override readonly name = 'LcmError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code)
  }
}

/** Returns what a door sends of an error. Anything that is not an `LcmError` is a bug and becomes `internal`. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof LcmError) {
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      ...(error.details ? { details: { ...error.details } } : {}),
    }
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return {
      code: 'cancelled',
      message: 'The operation was cancelled; what was committed before stays valid.',
      retryable: false,
    }
  }
  // A write failed because there was no room, whichever file was written.
  if (isNoRoomError(error)) {
    const message =
      'The disk is full, or files may not become larger: nothing of this step was kept. Free some space, try again.'
    return { code: 'disk_full', message, retryable: false }
  }
  const what = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message: `Internal error: ${what}. Please report it with the log.`, retryable: false }
}

/**
 * The system's codes for a file that cannot grow: the disk is full, a quota is used up, or files may not be so large.
 */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export const isNoRoomError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NO_ROOM.has(error.code)

/** Whether a file could not be read because there is none at its path. */
export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** Closes a union: a new member that is not handled fails the type check here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}

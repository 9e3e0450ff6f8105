import type { z } from 'zod'
import { LcmError } from './errors.ts'
import { sha256 } from './hashing.ts'

/**
 * Writes the position at which a list continues as text that callers hand back unread. It holds all that is needed, so
 * the server remembers nothing.
 */
export function encodeCursor(payload: object): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${checksum(text)}`
}

/** @throws LcmError invalid_argument for everything that `encodeCursor` did not write */
export function decodeCursor<T>(cursor: string, schema: z.ZodType<T>): T {
  const [text = '', sum = '', ...rest] = cursor.split('.')
  if (rest.length > 0 || sum !== checksum(text)) throw badCursor('it was not made by this program, or was cut')
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch (error) {
    throw badCursor('it belongs to another kind of request', error)
  }
}

/** Returns the error for a cursor that is well-formed but does not fit the question or the present memory. */
export function badCursor(reason: string, cause?: unknown): LcmError {
  return new LcmError('invalid_argument', `The cursor cannot be used: ${reason}. Ask again without it.`, undefined, {
    cause,
  })
}

const checksum = (text: string): string => sha256(`lcm cursor ${text}`).slice(0, 12)

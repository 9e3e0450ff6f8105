import { dirname, join } from 'node:path'
import { valueBeside } from '#core/ingest/transcripts/files-beside.ts'
import { isObject, type JsonObject } from '#core/ingest/transcripts/json-value.ts'

/** The list of all sessions in their folder. */
export const indexOf = (path: string): string => join(dirname(path), 'sessions.json')

/** Returns what the list says of a session, whose own file has no times. Empty when it is not listed. */
export function indexBeside(path: string, sessionId: string): JsonObject {
  const listed = valueBeside(indexOf(path))
  const found = Array.isArray(listed) ? listed.find((one) => isObject(one) && one.sessionId === sessionId) : null
  return isObject(found) ? found : {}
}

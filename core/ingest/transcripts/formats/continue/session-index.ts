import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseObjects } from '#core/ingest/transcripts/json-objects.ts'
import { isObject, type JsonObject } from '#core/ingest/transcripts/json-value.ts'

/** The list of all sessions in their folder. */
export const indexOf = (path: string): string => join(dirname(path), 'sessions.json')

/** Returns what the list says of a session, which has no times itself. A file that was moved may be without it. */
export function indexBeside(path: string, sessionId: string): JsonObject {
  try {
    const [listed] = parseObjects(readFileSync(indexOf(path), 'utf8')).values
    const found = Array.isArray(listed) ? listed.find((one) => isObject(one) && one.sessionId === sessionId) : null
    return isObject(found) ? found : {}
  } catch {
    return {}
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { isMissingFile } from '#core/errors.ts'
import type { TranscriptRecord } from './format.ts'
import { parseObjects } from './json-objects.ts'
import { isObject, type JsonObject } from './json-value.ts'

/**
 * Reads a JSON file beside a transcript. Returns null when it is no JSON, and when there is none: people move transcripts
 * and leave such files behind. A file that may not be read is an error: without it, a session could be taken for one of
 * another agent, or for no fork.
 * @throws NodeJS.ErrnoException
 */
export const valueBeside = (path: string): unknown =>
  unlessMissing(() => parseObjects(readFileSync(path, 'utf8')).values[0] ?? null, null)

/** What Claude Code and Qwen Code write about a sub-agent: `<sub-agent>.meta.json` beside `<sub-agent>.jsonl`. */
export const descriptionBeside = (path: string): string => path.replace(/\.jsonl$/, '.meta.json')

/** Reads the object in a file. Returns null, with a report, for one that is broken, being written, or cannot be read. */
export function readObject(path: string, out: TranscriptRecord[]): JsonObject | null {
  const skip = (reason: string): null => {
    out.push({ kind: 'skipped', line: 1, reason: `${path}: ${reason}` })
    return null
  }
  try {
    const { values, problem } = parseObjects(readFileSync(path, 'utf8'))
    const [value] = values
    return isObject(value) ? value : skip(problem ?? 'not an object')
  } catch (error) {
    if (!isFileError(error)) throw error
    return skip(`cannot be read (${error.code})`)
  }
}

export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

/**
 * Returns the names in a folder. There are none when it is no folder, or was removed since.
 * @throws NodeJS.ErrnoException for a folder that may not be listed: what is in it would be taken for removed
 */
export const namesIn = (folder: string): readonly string[] => unlessMissing(() => readdirSync(folder), [])

function unlessMissing<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch (error) {
    if (isMissingFile(error)) return otherwise
    throw error
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { parseObjects } from './json-objects.ts'

/** Reads a JSON file beside a transcript. Null when it is not there, as beside a transcript that was moved, or no JSON. */
export function valueIn(path: string): unknown {
  try {
    return parseObjects(readFileSync(path, 'utf8')).values[0] ?? null
  } catch {
    return null
  }
}

/** Returns the names in a folder. There are none when it is no folder, or was removed since. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

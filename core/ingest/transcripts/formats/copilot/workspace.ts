import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'

/** Returns the file that describes the session beside its events. */
export const workspaceOf = (path: string): string => join(dirname(path), 'workspace.yaml')

/** Returns the name that the person gave the session, or null. */
export function givenName(path: string): string | null {
  try {
    const text = readFileSync(workspaceOf(path), 'utf8')
    const name = /^name: *(.+)$/m.exec(text)?.[1]?.trim()
    return name !== undefined && /^user_named: *true$/m.test(text)
      ? oneLine(name.replace(/^(["'])(.*)\1$/, '$2'))
      : null
  } catch {
    // There is no such file beside a transcript that was moved.
    return null
  }
}

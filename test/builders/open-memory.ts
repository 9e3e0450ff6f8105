import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { mayBeOpenHere, startOfFile } from '#core/sqlite/file-header.ts'
import { inspectNow, isMissingOrEmpty } from '#core/sqlite/memory-file.ts'
import {
  createMemory,
  type OpenedMemory,
  type OpenMemoryOptions,
  openingInspected,
} from '#core/systems/opening/open.ts'
import { withoutYielding } from '#core/yielding.ts'

export type { OpenedMemory } from '#core/systems/opening/open.ts'

/** The core's `openMemory` in one attempt, for tests without another process. */
export function openMemory(path: string, options: OpenMemoryOptions = {}): OpenedMemory {
  const absolute = resolve(path)
  if (options.create && isMissingOrEmpty(absolute)) return createMemory(absolute)
  return withoutYielding(openingInspected(inspectNow(absolute, startOf), options, () => null))
}

/** Closing a file that is open as a database in this process would drop its locks. */
const startOf = (realPath: string): Buffer =>
  mayBeOpenHere(realPath) ? execFileSync('head', ['-c', '100', realPath]) : startOfFile(realPath)

import { z } from 'zod'
import { isDistrusted } from './db/distrusted-files.ts'
import { LcmError, toErrorInfo } from './errors.ts'

/**
 * Runs `body`, which opens or reads the memory at `path`. Where it fails as no sound file makes it fail, and values stand
 * in the file that its own tables forbid, it runs once more: from then on the file is opened in a way that shows the rest.
 * @param isPossible false for an answer to which no sound file leads: as good as an error
 */
export async function despiteWrongValues<T>(
  path: string | null,
  body: () => T | Promise<T>,
  isPossible: (answer: T) => boolean | Promise<boolean> = () => true,
): Promise<T> {
  const isExplained = watchErrors(path)
  try {
    const answer = await body()
    if ((await isPossible(answer)) || !(await isExplained(null))) return answer
  } catch (error) {
    if (!(await isExplained(error))) throw error
  }
  return await body()
}

/** The same for an answer in steps; once a step was told, whoever asked has to ask again. */
export async function* stepsDespiteWrongValues<T>(
  path: string | null,
  steps: () => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const isExplained = watchErrors(path)
  let isTold = false
  try {
    for await (const step of steps()) {
      isTold = true
      yield step
    }
    return
  } catch (error) {
    if (!(await isExplained(error))) throw error
    if (isTold) throw new LcmError('locked', `${path} holds values that its tables forbid: try again to see the rest.`)
  }
  yield* steps()
}

/** Tells of an error that comes later whether wrong values that nobody knew of explain it. */
function watchErrors(path: string | null): (error: unknown) => Promise<boolean> {
  if (path === null || isDistrusted(path)) return async () => false
  return async (error) => {
    if (!isUnexpected(error)) return false
    // Loaded when it is needed: a command that opens no memory loads no SQLite.
    const { holdsForbidden } = await import('./db/look-through.ts')
    return holdsForbidden(path)
  }
}

/** Any other error says what it is about. Zod refuses what the caller gave. */
function isUnexpected(error: unknown): boolean {
  if (error instanceof z.ZodError) return false
  const { code } = toErrorInfo(error)
  return code === 'internal' || code === 'sqlite_failed'
}

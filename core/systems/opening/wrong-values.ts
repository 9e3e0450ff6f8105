import { z } from 'zod'
import { LcmError, toErrorInfo } from '#core/errors.ts'
import { isDistrusted } from '#core/sqlite/distrusted-files.ts'

/**
 * Runs `body`, which opens or reads the memory at `path`. If it fails with an error that no sound file causes, all rows of
 * the file are read. If one holds a value that its table does not allow, the file is distrusted: it is opened through views
 * that show the rest, and `body` runs a second time.
 * @param isPossible false for an answer that no sound file gives; it counts as an error
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

/** The same for an answer in steps. If it fails after the first step was given, the caller has to ask again. */
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

/** Returns a function that says of an error whether wrong values in the file caused it, which was not known before. */
function watchErrors(path: string | null): (error: unknown) => Promise<boolean> {
  if (path === null || isDistrusted(path)) return async () => false
  return async (error) => {
    if (!isUnexpected(error)) return false
    // Loaded when it is needed: a command that opens no memory loads no SQLite.
    const { holdsForbidden } = await import('./forbidden-values.ts')
    return holdsForbidden(path)
  }
}

/** All other errors already name their cause. An error of Zod is about the caller's input. */
function isUnexpected(error: unknown): boolean {
  if (error instanceof z.ZodError) return false
  const { code } = toErrorInfo(error)
  return code === 'internal' || code === 'sqlite_failed'
}

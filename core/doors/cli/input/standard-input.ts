import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ImportResult } from '#core/contract/import.ts'
import { LcmError } from '#core/errors.ts'
import { startSha256 } from '#core/hashing.ts'
import type { GivenTranscript } from '#core/ingest/transcripts/transcript-files.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { makeTemporaryFolder } from '#core/sqlite/process-folder.ts'
import { interruptible } from '../interruptible.ts'

/** The name of standard input on the command line. */
export const STANDARD_INPUT = '-'

/** Runs `body` with the paths, where `-` is replaced by a file with the content of standard input. */
export async function withStandardInput(
  paths: readonly string[],
  body: (given: readonly GivenTranscript[]) => Promise<ImportResult>,
): Promise<ImportResult> {
  if (!paths.includes(STANDARD_INPUT)) return body(paths)
  const cancelled = 'The import was cancelled before standard input ended; nothing was stored.'
  return withSpooledInput(cancelled, async ({ file, hash }) => {
    // A transcript without an id of its own is identified by its file name. One that comes over a pipe is named by its
    // content, so that the same content has the same name, and two that begin alike have two.
    const path = `/dev/stdin/${hash.slice(0, 16)}`
    const others = paths.filter((path) => path !== STANDARD_INPUT)
    const result = await body([{ path, file }, ...others]).catch((error: unknown) => {
      throw renamed(error, path)
    })
    const named = <T extends { readonly path: string }>(one: T): T =>
      one.path === path ? { ...one, path: STANDARD_INPUT } : one
    return { ...result, files: result.files.map(named), passedOver: result.passedOver.map(named) }
  })
}

type SpooledInput = { readonly file: string; readonly hash: string }

/**
 * Runs `body` with a file that has the content of standard input, because an input may be read twice, and may be larger
 * than memory. The file is deleted afterwards. A signal ends the reading, also while the pipe stays open.
 * @param cancelled what is said when a signal came before standard input ended
 * @throws LcmError cancelled, disk_full; whatever `body` throws, with standard input instead of the file's name
 */
export async function withSpooledInput<T>(cancelled: string, body: (spooled: SpooledInput) => Promise<T>): Promise<T> {
  const folder = makeTemporaryFolder('stdin')
  const file = join(folder, 'input')
  try {
    const hash = await spool(process.stdin, file, cancelled)
    return await body({ file, hash })
  } catch (error) {
    throw renamed(error, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the hash of what was read. */
async function spool(input: Readable, file: string, cancelled: string): Promise<string> {
  const hash = startSha256()
  await interruptible(async (signal) => {
    try {
      const read = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      }
      await pipeline(input, read, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal })
    } catch (error) {
      if (!signal.aborted) throw fileError(error, file)
      throw new LcmError('cancelled', cancelled)
    }
  })
  return hash.digest('hex')
}

function renamed(error: unknown, path: string): unknown {
  if (!(error instanceof LcmError) || !error.message.includes(path)) return error
  return new LcmError(error.code, error.message.replaceAll(path, 'standard input'), error.details, { cause: error })
}

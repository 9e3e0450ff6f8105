import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ImportResult } from '../../contract/import.ts'
import { LcmError } from '../../errors.ts'
import { startSha256 } from '../../hashing.ts'
import type { GivenTranscript } from '../../ingest/transcripts/transcript-files.ts'
import { fileError } from '../../sqlite/memory-file.ts'
import { makeTemporaryFolder } from '../../sqlite/process-folder.ts'
import { interruptibleCall } from './interruptible.ts'

/** The name of standard input on the command line. */
const STANDARD_INPUT = '-'

/**
 * Runs `body` with the paths, where `-` is replaced by a file with the content of standard input, because formats are
 * recognised by their beginning and may be read twice, and a transcript may be larger than memory. The file is deleted
 * afterwards.
 * @throws LcmError cancelled, disk_full, not_found; whatever `body` throws, with `-` instead of the file's name
 */
export async function withStandardInput(
  paths: readonly string[],
  body: (given: readonly GivenTranscript[]) => Promise<ImportResult>,
): Promise<ImportResult> {
  if (!paths.includes(STANDARD_INPUT)) return body(paths)
  const folder = makeTemporaryFolder('stdin')
  try {
    const spooled = await spool(process.stdin, join(folder, 'transcript'))
    const others = paths.filter((path) => path !== STANDARD_INPUT)
    const result = await body([spooled, ...others]).catch((error: unknown) => {
      throw renamed(error, spooled.path)
    })
    const named = <T extends { readonly path: string }>(one: T): T =>
      one.path === spooled.path ? { ...one, path: STANDARD_INPUT } : one
    return { ...result, files: result.files.map(named), passedOver: result.passedOver.map(named) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A transcript without an id of its own is identified by its file name. One that comes over a pipe is named by its
 * content, so that the same content has the same name, and two that begin alike have two.
 */
async function spool(input: Readable, file: string): Promise<{ path: string; file: string }> {
  const hash = startSha256()
  await interruptibleCall(async (signal) => {
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
      throw new LcmError('cancelled', 'The import was cancelled before standard input ended; nothing was stored.')
    }
  })
  return { path: `/dev/stdin/${hash.digest('hex').slice(0, 16)}`, file }
}

function renamed(error: unknown, path: string): unknown {
  if (!(error instanceof LcmError) || !error.message.includes(path)) return error
  return new LcmError(error.code, error.message.replaceAll(path, 'standard input'), error.details, { cause: error })
}

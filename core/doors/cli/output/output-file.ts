import { randomBytes } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { LcmError } from '#core/errors.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { sizeText } from '#core/text.ts'
import { outputFile } from '../command.ts'
import type { Answer } from './output.ts'

export const force = z.boolean().optional().describe('replace the file that is there')

/** The fields of a command that prints a document, which people keep in a file. */
export const documentFile = {
  output: outputFile.describe('write the document there, where nothing may be; - is standard output'),
  force,
}

/** A document, and where it goes. */
type DocumentOutput = {
  /** What is printed when no file is named. */
  readonly answer: Extract<Answer, { readonly json: unknown }>
  readonly output?: string | undefined
  readonly force?: boolean | undefined
  readonly source: string | null
  /** What is known of the written file besides its path and size. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/**
 * Writes a document to the file that was named and says so, or returns it to be printed when none was. The file holds
 * what standard output would have without --json.
 * @throws LcmError as `writeOutput`
 */
export async function documentAnswer({ answer, output, force, source, facts }: DocumentOutput): Promise<Answer> {
  const path = outputPath(output)
  if (path === null) return answer
  const content = Buffer.from(`${answer.text()}${answer.isDocument ? '' : '\n'}`)
  const target = { path, source, isForced: force ?? false }
  await writeOutput(target, (partial) => writeFileSync(partial, content, { flush: true }))
  return {
    json: { ...facts, path, bytes: content.length },
    text: () => `${path}: ${sizeText(content.length)}`,
    ...(answer.exitCode === undefined ? {} : { exitCode: answer.exitCode }),
  }
}

/** In place of the name of a file: standard output. */
export const STANDARD_OUTPUT = '-'

/** Returns the file that -o names, or null for standard output. */
export const outputPath = (output: string | undefined): string | null =>
  output === undefined || output === STANDARD_OUTPUT ? null : resolve(output)

/**
 * Returns the file that a new memory is written to.
 * @throws LcmError invalid_argument for standard output
 */
export function memoryPath(output: string): string {
  if (output !== STANDARD_OUTPUT) return resolve(output)
  throw new LcmError('invalid_argument', 'A memory goes into a file, not to standard output: name a file instead of -.')
}

/** A file that is to be written. */
type Target = {
  readonly path: string
  /** The file that is read meanwhile, or null. No option replaces it. */
  readonly source: string | null
  readonly isForced: boolean
}

/**
 * Writes a file that appears when it is complete. An existing file stays until then, and is replaced only when it is
 * empty or may be replaced.
 * @param write creates the file at the path that it is given
 * @throws LcmError invalid_argument when a file is there; file_missing, file_not_readable, disk_full; whatever `write`
 * throws
 */
export async function writeOutput(target: Target, write: (partial: string) => void | Promise<void>): Promise<void> {
  const { path } = target
  const isThere = requireWritable(target)
  const { giveName, partialPath, errorAboutTarget } = await import('#core/sqlite/new-file.ts')
  const partial = partialPath(path)
  try {
    await write(partial)
    if (isThere) renameSync(partial, path)
    else giveName(partial, path)
  } catch (error) {
    throw errorAboutTarget(path, partial, error)
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Writes all of a document to an open file. */
export type WriteOpen = (file: number) => Promise<void>

/** Does what `writeOutput` does, with a file that is open. */
export const writeOpenOutput = (target: Target, write: WriteOpen): Promise<void> =>
  writeOutput(target, async (partial) => {
    const file = openSync(partial, 'wx')
    try {
      await write(file)
    } finally {
      closeSync(file)
    }
  })

/**
 * Writes the document to a temporary file first, so that nothing of it is printed when it cannot be read to its end.
 * With --json it is printed itself when it is JSON, and otherwise as a text in a JSON object.
 */
export async function onStandardOutput(format: string, write: WriteOpen): Promise<Answer> {
  const file = openUnnamed()
  try {
    await write(file)
  } catch (error) {
    closeSync(file)
    throw error instanceof LcmError ? error : fileError(error, tmpdir())
  }
  return {
    async *pieces(asJson) {
      const isText = asJson && format !== 'json'
      if (isText) yield `{"format": "${format}", "document": "`
      for await (const piece of createReadStream('', { fd: file, start: 0, encoding: 'utf8' })) {
        yield isText ? JSON.stringify(piece).slice(1, -1) : piece
      }
      if (isText) yield '"}\n'
    },
  }
}

/** Opens a file that disappears with the process, however that ends, because it has the content of a memory. */
function openUnnamed(): number {
  const path = join(tmpdir(), `lcm-export-${randomBytes(8).toString('hex')}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    rmSync(path)
    return file
  } catch {
    throw new LcmError(
      'unsupported',
      `The folder for temporary files, ${tmpdir()}, cannot be written: set TMPDIR to another one, or give a file with -o.`,
    )
  }
}

/**
 * Says whether an existing file will be replaced.
 * @throws LcmError invalid_argument for a file that has to stay
 */
export function requireWritable({ path, source, isForced }: Target): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  if (!there) return false
  if (there.isDirectory()) {
    throw new LcmError('invalid_argument', `${path} is a folder: name a file in it.`, { path })
  }
  if (source !== null && belongsTo(source, there)) {
    throw new LcmError('invalid_argument', `${path} belongs to what is read: choose another path.`, { path })
  }
  if (!there.isFile() || (there.size > 0 && !isForced)) {
    throw new LcmError('invalid_argument', `${path} exists already: choose a path where nothing is, or give --force.`, {
      path,
    })
  }
  return true
}

/** Says whether a file is the one that is read, or a file that SQLite keeps beside it, under any path. */
function belongsTo(source: string, there: Stats): boolean {
  const real = realpathSync(source)
  return ['', '-wal', '-shm', '-journal'].some((suffix) => {
    const own = statSync(`${real}${suffix}`, { throwIfNoEntry: false })
    return own?.ino === there.ino && own.dev === there.dev
  })
}

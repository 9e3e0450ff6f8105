import { type Dirent, type Stats, statSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { isLogFile } from '#core/activity/log-files.ts'
import type { PassedOver } from '#core/contract/import.ts'
import { isMissingFile, LcmError } from '#core/errors.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import type { TranscriptFormat } from './format.ts'
import { transcriptFormats } from './formats.ts'

export type TranscriptFile = {
  /** The name of the transcript, from which ids and titles may be derived. */
  readonly path: string
  /** The path of the bytes, which differs for a transcript that arrived over a pipe. */
  readonly file: string
  readonly bytes: number
  /** True when the caller named the file, and false when it was found in a folder that may contain other files. */
  readonly isNamed: boolean
}

/** A path, or a file that holds a transcript of another name. */
export type GivenTranscript = string | Pick<TranscriptFile, 'path' | 'file'>

/** The files that were found, and the given paths that cannot be read, with the reason. */
export type FoundTranscripts = {
  readonly files: readonly TranscriptFile[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** Matches also files that an agent put aside: `<session>.jsonl.reset.<time>`. */
const LIKELY_NAME = /\.(?:jsonl|ndjson|json|md|markdown|traj)(?:\.(?:reset|deleted|bak)(?:\.[^/\\]*)?)?$/i
/** Says by its name whether a file of a folder may be a transcript. */
export const isLikely = (name: string): boolean =>
  LIKELY_NAME.test(name) || transcriptFormats.some(({ store }) => store?.fileName.test(name))
/** These folders contain thousands of JSON files and no transcripts. */
export const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git'])
// The language is fixed, so that a folder has the same order on every machine.
const collator = new Intl.Collator('en', { numeric: true })
const byPath = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : 1)
const STORAGE = ['session', 'message', 'part'] as const

/**
 * Finds the files of the given paths: a file itself, or every file below a folder that may be a transcript by its name.
 * They are in the order of their paths, `session-2` before `session-10`, so that `<session>.jsonl` comes before
 * `<session>/…`, and older files before those that continue them. A path without a file, a folder without a transcript,
 * and what is neither file nor folder is reported alone.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing that is given can be read
 */
export async function findTranscriptFiles(given: readonly GivenTranscript[]): Promise<FoundTranscripts> {
  const found = new Map<string, TranscriptFile>()
  const refused: { path: string; error: LcmError }[] = []
  for (const one of given) {
    try {
      const files = typeof one === 'string' ? await filesAt(resolve(one)) : [named(one.path, one.file)]
      for (const file of files) if (!found.get(file.path)?.isNamed) found.set(file.path, file)
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      refused.push({ path: typeof one === 'string' ? resolve(one) : one.path, error })
    }
  }
  const [first] = refused
  if (first && found.size === 0) throw first.error
  return { files: [...found.values()], refused: refused.map(({ path, error }) => ({ path, reason: error.message })) }
}

/**
 * Leaves out the files that agents keep beside their transcripts, such as one with the title of a session.
 * @param files what else stands in the same folders, with the format of those that were recognised
 */
export function withoutFilesBeside(
  passedOver: readonly PassedOver[],
  files: readonly { readonly path: string; readonly format: string | null }[],
): readonly PassedOver[] {
  const formats = new Map<string | null, TranscriptFormat>(transcriptFormats.map((one) => [one.id, one]))
  const beside = new Set(
    files.flatMap(({ path, format }) => {
      const { besides, notes } = formats.get(format) ?? {}
      return [...(besides?.(path) ?? []), ...(notes?.(path) ?? [])]
    }),
  )
  return passedOver.filter(({ path }) => !beside.has(path))
}

/**
 * Refuses what must not be opened as a transcript: a pipe would block without end.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable
 */
export function refuseOther(path: string, entry: Stats = statOf(path)): void {
  if (entry.isDirectory()) return
  if (!entry.isFile()) {
    const message = `${path} is a pipe or a device: write what comes out of it to a file and import that, or give it to "lcm import -".`
    throw new LcmError('transcript_unreadable', message, { path })
  }
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw notFound(path, error as NodeJS.ErrnoException)
  }
}

function notFound(path: string, cause: NodeJS.ErrnoException): unknown {
  return isMissingFile(cause)
    ? new LcmError('file_missing', `There is nothing at ${path}: check the path.`, { path }, { cause })
    : fileError(cause, path)
}

function named(path: string, file: string): TranscriptFile {
  refuseOther(file)
  return { path, file, bytes: statOf(file).size, isNamed: true }
}

async function filesAt(path: string): Promise<TranscriptFile[]> {
  if (!statOf(path).isDirectory()) return [named(path, path)]
  const files = (await namesBelow(path)).sort(byPath)
  if (files.length === 0) {
    const message = `There is no transcript (*.jsonl, *.json, *.md, *.traj) in ${path}: give the folder or file that holds the sessions.`
    throw new LcmError('transcript_unreadable', message, { path })
  }
  return files.flatMap((file) => {
    // A file may have been removed since the folder was listed.
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats ? { path: file, file, bytes: stats.size, isNamed: false } : []
  })
}

/** Follows each link once, but not when its target is below the folder as well, and never in a circle. */
async function namesBelow(given: string): Promise<string[]> {
  const found: string[] = []
  const links: string[] = []
  /** The real paths of folders and files. Only what a link leads to has to be asked for. */
  const known = new Set<string>()
  const realOf = (path: string): Promise<string> => realpath(path).catch(() => path)
  const enter = async (folder: string, real: string): Promise<void> => {
    if (known.has(real)) return
    known.add(real)
    const entries = await listed(folder, given)
    // In the storage of opencode the file of a session leads to its messages and parts, which are thousands of files.
    const isStorage = STORAGE.every((name) => entries.some((entry) => entry.name === name && entry.isDirectory()))
    for (const entry of entries) {
      const [path, realEntry] = [join(folder, entry.name), join(real, entry.name)]
      if (entry.isSymbolicLink()) links.push(path)
      else if (entry.isFile() && isLikely(entry.name) && !isLogFile(entry.name)) {
        if (!known.has(realEntry)) found.push(path)
        known.add(realEntry)
      } else if (entry.isDirectory() && !NOT_ENTERED.has(entry.name) && !(isStorage && entry.name !== 'session')) {
        await enter(path, realEntry)
      }
    }
  }
  await enter(given, await realOf(given))
  for (let link = links.shift(); link !== undefined; link = links.shift()) {
    const target = await stat(link).catch(() => null)
    const real = await realOf(link)
    if (target?.isDirectory()) await enter(link, real)
    if (!target?.isFile() || !isLikely(basename(link))) continue
    if (!known.has(real)) found.push(link)
    known.add(real)
  }
  return found
}

async function listed(folder: string, given: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    // A subfolder without permission is skipped alone.
    if (folder !== given) return []
    throw fileError(cause, given)
  })
}

import { type Dirent, type Stats, statSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LcmError } from '../../errors.ts'
import { MAGIC, readStart } from '../../sqlite/file-header.ts'
import { fileError } from '../../sqlite/memory-file.ts'

export type TranscriptFile = {
  /** What it is called: ids and titles may come from it. */
  readonly path: string
  /** Where its bytes are: elsewhere for a transcript that came over a pipe. */
  readonly file: string
  readonly bytes: number
  /** Named by the caller; otherwise found in a folder, where other files may lie as well. */
  readonly isNamed: boolean
}

/** A path, or a file that stands for a transcript of another name. */
export type GivenTranscript = string | Pick<TranscriptFile, 'path' | 'file'>

/** The files that were found, and what of the given cannot be taken, with why. */
export type FoundTranscripts = {
  readonly files: readonly TranscriptFile[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** Also of files that an agent has put aside: `<session>.jsonl.reset.<time>`. */
const LIKELY_NAME = /\.(?:jsonl|ndjson|json|md|markdown|traj)(?:\.(?:reset|deleted|bak)(?:\.[^/\\]*)?)?$/i
/** Nobody keeps transcripts there, and they hold thousands of JSON files. */
export const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git'])
// Of one language, so that the same folder comes in the same order on every machine.
const collator = new Intl.Collator('en', { numeric: true })
const byPath = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : 1)
const STORAGE = ['session', 'message', 'part'] as const

/**
 * The files behind the given paths: a file stands for itself, a folder for every file beneath it that may be a
 * transcript by its name. In the order of their paths, with `session-2` before `session-10`, so that `<session>.jsonl`
 * comes before `<session>/…`, and what is older before what continues it. A path where nothing is, a folder without such
 * a file, and what is neither file nor folder cost themselves alone.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when nothing that is given can be taken
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
 * Refuses what must not be opened as a transcript: a pipe would be waited for without end, and closing a database that
 * is open in this process would drop its locks.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable
 */
export function refuseOther(path: string, entry: Stats = statOf(path)): void {
  if (entry.isDirectory()) return
  if (!entry.isFile()) {
    const message = `${path} is a pipe or a device: write what comes out of it to a file and import that, or give it to "lcm import -".`
    throw new LcmError('transcript_unreadable', message, { path })
  }
  if (startOf(path) !== MAGIC) return
  const message = `${path} is an SQLite database, not a transcript: open it as a memory. Where it is opencode's, write its sessions out with "opencode export <session> > session.json", and import those.`
  throw new LcmError('transcript_unreadable', message, { path })
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw notFound(path, error as NodeJS.ErrnoException)
  }
}

function startOf(path: string): string {
  try {
    return readStart(path).toString('latin1', 0, MAGIC.length)
  } catch {
    // That it cannot be read is told of each file when its turn comes.
    return ''
  }
}

function notFound(path: string, cause: NodeJS.ErrnoException): unknown {
  return cause.code === 'ENOENT' || cause.code === 'ENOTDIR'
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
  const sized = await Promise.all(
    files.map(async (file) => ({ path: file, file, bytes: await sizeOf(file), isNamed: false })),
  )
  return sized.flatMap((file) => (file.bytes === null ? [] : { ...file, bytes: file.bytes }))
}

/**
 * A link stands for what it leads to, once: not when that lies beneath the folder as well, and never round in a circle.
 */
async function namesBelow(given: string): Promise<string[]> {
  const found: string[] = []
  const links: string[] = []
  const entered = new Set<string>()
  const enter = async (folder: string): Promise<void> => {
    const real = await realpath(folder).catch(() => folder)
    if (entered.has(real)) return
    entered.add(real)
    const entries = await listed(folder, given)
    // opencode's storage: a session's file leads to its messages and parts, which are thousands of files of their own.
    const isStorage = STORAGE.every((name) => entries.some((entry) => entry.name === name && entry.isDirectory()))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) links.push(path)
      else if (entry.isFile() && LIKELY_NAME.test(entry.name)) found.push(path)
      else if (entry.isDirectory() && !NOT_ENTERED.has(entry.name) && !(isStorage && entry.name !== 'session')) {
        await enter(path)
      }
    }
  }
  await enter(given)
  const known = new Set(await Promise.all(found.map((path) => realpath(path).catch(() => path))))
  for (let link = links.shift(); link !== undefined; link = links.shift()) {
    const target = await stat(link).catch(() => null)
    if (target?.isDirectory()) await enter(link)
    if (!target?.isFile() || !LIKELY_NAME.test(link)) continue
    const real = await realpath(link)
    if (!known.has(real)) found.push(link)
    known.add(real)
  }
  return found
}

async function listed(folder: string, given: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    // A folder below that may not be read costs only itself.
    if (folder !== given) return []
    throw fileError(cause, given)
  })
}

/** Null for a file that is gone by now. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    (entry) => entry.size,
    () => null,
  )

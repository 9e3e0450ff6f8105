import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LcmError } from '../errors.ts'

export type TranscriptFile = {
  readonly path: string
  readonly bytes: number
  /** Named by the caller; otherwise found in a folder, where other files may lie as well. */
  readonly isNamed: boolean
}

/** Also of files that an agent has put aside: `<session>.jsonl.reset.<time>`. */
const LIKELY_NAME = /\.(?:jsonl|json|md|traj)(?:\.(?:reset|deleted|bak)(?:\.[^/\\]*)?)?$/i
/** Nobody keeps transcripts there, and they hold thousands of JSON files. */
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.git'])
const STORAGE = ['session', 'message', 'part'] as const

/**
 * The files behind the given paths: a file stands for itself, a folder for every file beneath it that may be a
 * transcript by its name. In the order of their paths, so that `<session>.jsonl` comes before `<session>/…`, and what
 * is older before what continues it.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when a folder holds no such file
 */
export async function findTranscriptFiles(paths: readonly string[]): Promise<TranscriptFile[]> {
  const found = new Map<string, TranscriptFile>()
  for (const path of paths.map((given) => resolve(given))) {
    for (const file of await filesAt(path)) if (!found.get(file.path)?.isNamed) found.set(file.path, file)
  }
  return [...found.values()]
}

async function filesAt(path: string): Promise<TranscriptFile[]> {
  const entry = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
      throw new LcmError('file_missing', `There is nothing at ${path}: check the path.`, { path }, { cause })
    throw new LcmError('file_not_readable', `${path} cannot be read (${cause.code}).`, { path }, { cause })
  })
  if (!entry.isDirectory()) return [{ path, bytes: entry.size, isNamed: true }]
  const files = (await namesBelow(path, path)).sort()
  if (files.length === 0) {
    const message = `There is no transcript (*.jsonl, *.json, *.md, *.traj) in ${path}: give the folder or file that holds the sessions.`
    throw new LcmError('transcript_unreadable', message, { path })
  }
  const sized = await Promise.all(
    files.map(async (file) => ({ path: file, bytes: await sizeOf(file), isNamed: false })),
  )
  return sized.flatMap((file) => (file.bytes === null ? [] : { ...file, bytes: file.bytes }))
}

async function namesBelow(folder: string, given: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    // A folder below that may not be read costs only itself.
    if (folder !== given) return []
    throw new LcmError(
      'file_not_readable',
      `The folder ${given} cannot be listed (${cause.code}).`,
      { path: given },
      { cause },
    )
  })
  const names: string[] = []
  // opencode's storage: a session's file leads to its messages and parts, which are thousands of files of their own.
  const isStorage = STORAGE.every((name) => entries.some((entry) => entry.name === name && entry.isDirectory()))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (isStorage && entry.name !== 'session') continue
      if (!NOT_ENTERED.has(entry.name)) names.push(...(await namesBelow(path, given)))
    } else if (entry.isFile() && LIKELY_NAME.test(entry.name)) {
      names.push(path)
    }
  }
  return names
}

/** Null for a file that is gone by now. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    (entry) => entry.size,
    () => null,
  )

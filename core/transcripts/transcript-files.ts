import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LcmError } from '../errors.ts'

export type TranscriptFile = { readonly path: string; readonly bytes: number }

/**
 * The files behind the given paths: a file stands for itself, a folder for every `*.jsonl` beneath it (sub-agents lie
 * in folders of their own). In the order of their paths, so that `<session>.jsonl` comes before `<session>/…`.
 * @throws LcmError file_missing, file_not_readable, transcript_unreadable when a folder holds no transcript
 */
export async function findTranscriptFiles(paths: readonly string[]): Promise<TranscriptFile[]> {
  const found = new Map<string, TranscriptFile>()
  for (const path of paths.map((given) => resolve(given))) {
    for (const file of await filesAt(path)) found.set(file.path, file)
  }
  return [...found.values()]
}

async function filesAt(path: string): Promise<TranscriptFile[]> {
  const entry = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
      throw new LcmError('file_missing', `There is nothing at ${path}: check the path.`, { path }, { cause })
    throw new LcmError('file_not_readable', `${path} cannot be read (${cause.code}).`, { path }, { cause })
  })
  if (!entry.isDirectory()) return [{ path, bytes: entry.size }]
  const names = await readdir(path, { recursive: true, withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new LcmError('file_not_readable', `The folder ${path} cannot be listed (${cause.code}).`, { path }, { cause })
  })
  const files = names
    .filter((name) => name.isFile() && name.name.endsWith('.jsonl'))
    .map((name) => join(name.parentPath, name.name))
    .sort()
  if (files.length === 0) {
    const message = `There is no transcript (*.jsonl) in ${path}: give the folder or file that holds the sessions.`
    throw new LcmError('transcript_unreadable', message, { path })
  }
  return Promise.all(files.map(async (file) => ({ path: file, bytes: (await stat(file)).size })))
}

import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RowChange } from '../../contract/repair.ts'
import { type Fixer, plural, type Scope } from '../rules/fix.ts'

const queries = {
  file: /* sql */ `
    SELECT file_id AS id, storage_uri AS uri, byte_size AS bytes, content_hash AS hash, conversation_id AS conversationId
    FROM large_files WHERE file_id = :id`,
}

type FileRow = { id: string; uri: string; bytes: number | null; hash: string | null; conversationId: number }

const measureFiles: Fixer = {
  checks: ['file_size', 'file_hash'],
  reads: ['files'],
  *fix(scope) {
    const named = ['file_size', 'file_hash'].flatMap((check) => scope.findings(check).flatMap(({ id }) => id ?? []))
    const changes = [...new Set(named)].flatMap((id) => measured(scope, id))
    if (changes.length === 0) return
    yield {
      title: `Record ${plural(changes.length, 'file')} as ${changes.length === 1 ? 'it is' : 'they are'} on disk`,
      rule: 'Size and hash are taken from the file that is there.',
      risk: 'rewrite',
      nodes: changes.map((change) => String(change.key.file_id)),
      changes,
      cannotRestore: 'If the file on disk was changed, what it held before is not recorded.',
    }
  },
}

function measured({ db, filesDirs }: Scope, id: string): RowChange[] {
  const row = db.get<FileRow>(queries.file, { id })
  const path = row && locate(db.path, row, filesDirs)
  if (!row || !path) return []
  const now = { byte_size: statSync(path).size, content_hash: hashOf(path) }
  if (now.byte_size === row.bytes && now.content_hash === row.hash) return []
  const before = { byte_size: row.bytes, content_hash: row.hash }
  return [{ table: 'large_files', key: { file_id: id }, before, after: now }]
}

/** Only inside the folders that are allowed, links resolved. */
function locate(dbPath: string, row: FileRow, filesDirs: readonly string[]): string | null {
  const named = pathOf(row.uri)
  // Looking at a path on a server would already ask for it over the network.
  if (named === null || /^[\\/]{2}/.test(named)) return null
  const candidates = isAbsolute(named) ? [named] : [dirname(dbPath), ...filesDirs].map((folder) => join(folder, named))
  for (const candidate of candidates) {
    try {
      const real = realpathSync(candidate)
      const isInside = filesDirs.some((folder) => !/^\.\.(\/|\\|$)/.test(relative(realpathSync(folder), real)))
      if (isInside && statSync(real).isFile()) return real
    } catch {
      // Not there, or not ours to read: the next place may have it.
    }
  }
  return null
}

/** Null for an address that no path can be made of. */
function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return null
  }
}

function hashOf(path: string): string {
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(1 << 20)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}

export const fileFixes: readonly Fixer[] = [measureFiles]

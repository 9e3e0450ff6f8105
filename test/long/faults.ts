import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNative } from '#core/sqlite/native.ts'
import { fired, scanFile } from '../doctor/integrity/scan-file.ts'
import type { Prepared } from './prepared.ts'
import { memoryIn, ORIGINAL, runWork, type Told, TRANSCRIPT, toldIn } from './works.ts'

/** What a killed process leaves for the next one to take over. */
const EXPECTED = new Set(['stale_lock', 'abandoned_run'])

/** Says what is wrong with a folder in which a work was cut off, a line a fault. */
export async function faultsIn(prepared: Prepared, folder: string): Promise<readonly string[]> {
  const path = memoryIn(folder)
  const faults = readFaults(prepared, folder)
  // Nothing was committed yet: the next attempt begins anew.
  if (!existsSync(path)) return faults
  if (prepared.work === 'copy' || isFilled(path)) faults.push(...sqliteFaults(path))
  faults.push(...toldFaults(prepared, toldIn(path)), ...fileFaults(path))
  const findings = fired(await scanFile(path)).filter((id) => !EXPECTED.has(id))
  if (findings.some((id) => !prepared.findings.includes(id))) faults.push(`the checks find ${findings.join(', ')}`)
  return faults
}

/** Does the work again, which then ends where it ends undisturbed. Says what is wrong afterwards. */
export async function faultsAfterwards(prepared: Prepared, folder: string): Promise<readonly string[]> {
  await runWork(prepared.work, folder)
  const faults = [...(await faultsIn(prepared, folder))]
  const told = toldIn(memoryIn(folder))
  for (const kind of ['messages', 'window', 'summaries'] as const) {
    if (told[kind].join('\n') !== prepared.told[kind].join('\n'))
      faults.push(
        `ends with ${told[kind].length} ${kind}, undisturbed with ${prepared.told[kind].length}, or with others`,
      )
  }
  const left = readdirSync(folder).filter((name) => /\.partial/.test(name))
  if (left.length > 0) faults.push(`leaves ${left.join(', ')}`)
  return faults.map((fault) => `after another attempt: ${fault}`)
}

/** SQLite makes an empty file before its first page. */
const isFilled = (path: string): boolean => readFileSync(path).length > 0

/** What a work only reads must stay as it is. */
function readFaults({ start }: Prepared, folder: string): string[] {
  return [TRANSCRIPT, ORIGINAL].flatMap((name) => {
    if (!existsSync(join(start, name))) return []
    return readFileSync(join(start, name)).equals(readFileSync(join(folder, name))) ? [] : [`${name} was changed`]
  })
}

function sqliteFaults(path: string): string[] {
  using db = openNative(path)
  const integrity = db.value<string>('PRAGMA integrity_check')
  const keys = db.all('PRAGMA foreign_key_check').length
  return [
    ...(integrity === 'ok' ? [] : [`SQLite says: ${integrity}`]),
    ...(keys === 0 ? [] : [`${keys} rows refer to missing ones`]),
  ]
}

/** An import may have stored the beginning only; every other work keeps every message. */
function toldFaults({ work, told }: Prepared, { messages }: Told): string[] {
  const mayBeShort = work === 'import' || work === 'files'
  const expected = mayBeShort ? told.messages.slice(0, messages.length) : told.messages
  return messages.join('\n') === expected.join('\n') ? [] : [`${messages.length} messages that are not those expected`]
}

/** Every row of a large file has its file, with its content. */
function fileFaults(path: string): string[] {
  using db = openNative(path)
  const rows = db.all<{ id: string; uri: string; hash: string }>(
    'SELECT file_id AS id, storage_uri AS uri, content_hash AS hash FROM large_files WHERE content_hash IS NOT NULL',
  )
  return rows.flatMap(({ id, uri, hash }) => {
    // A folder that was moved or copied keeps its rows.
    const file = join(path, '..', uri.slice(uri.indexOf('lcm-files')))
    if (!existsSync(file)) return [`${id} has a row and no file`]
    return createHash('sha256').update(readFileSync(file)).digest('hex') === hash ? [] : [`${id} has another content`]
  })
}

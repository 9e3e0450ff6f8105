import { type Dirent, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Probe } from '../contract/machine.ts'
import { toErrorInfo } from '../errors.ts'
import { recogniseTranscript } from '../ingest/transcripts/formats.ts'
import { readHead } from '../ingest/transcripts/head.ts'
import { NOT_ENTERED, refuseOther } from '../ingest/transcripts/transcript-files.ts'
import { identifyMemory } from '../systems/identify-memory.ts'

/** Files of a folder and of those in it that are opened to see what the folder holds. */
const LOOKED_AT = 40
/** Of a folder that holds folders; whoever waits is not kept by a whole disk. */
const FOLDERS_ENTERED = 200
const FIRST_LINE_BYTES = 64 * 1024

/** What stands at a path and whether it can be opened, without opening it in a window. Never throws for a bad path. */
export function probePath(given: string, cacheDir: string): Probe {
  const path = resolve(given)
  try {
    const { system } = identifyMemory(path, { cacheDir })
    return { path, kind: 'memory', system, error: null }
  } catch (error) {
    const info = toErrorInfo(error)
    const isImportable =
      (info.code === 'not_a_database' && (looksLikeTranscript(path) || isTranscript(path))) ||
      (info.code === 'file_is_folder' && info.details?.suggestion === undefined && holdsTranscripts(path))
    return isImportable
      ? { path, kind: 'transcript', system: null, error: null }
      : { path, kind: 'unusable', system: null, error: info }
  }
}

/** A first line that is a JSON record with a type or a role, as every known agent writes it. The importer looks closer. */
function looksLikeTranscript(path: string): boolean {
  try {
    refuseOther(path)
    const start = readHead(path, FIRST_LINE_BYTES).text.trimStart()
    const end = start.indexOf('\n')
    // A record that is longer than what was read cannot be parsed, but it shows its fields.
    if (end === -1 && start.length > FIRST_LINE_BYTES / 2) return /^\{.*"(role|type)"\s*:\s*"/s.test(start)
    const record: unknown = JSON.parse(end === -1 ? start : start.slice(0, end))
    return typeof record === 'object' && record !== null && ('type' in record || 'role' in record)
  } catch {
    // Not JSON, or nothing that may be read: the error of opening it says what it is.
    return false
  }
}

/** By its content, whatever it is called. */
function isTranscript(path: string): boolean {
  try {
    refuseOther(path)
    return recogniseTranscript(path) !== null
  } catch {
    // It cannot be read: the error of opening it says so.
    return false
  }
}

/** Looked for folder by folder as the import will, nearest first: a project keeps the sessions of its agents apart. */
function holdsTranscripts(folder: string): boolean {
  let lookedAt = 0
  const folders = [folder]
  for (let entered = 0; entered < Math.min(folders.length, FOLDERS_ENTERED); entered += 1) {
    const inside = folders[entered] ?? folder
    const entries = entriesOf(inside)
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
    if (names.some((name) => name.toLowerCase().endsWith('.jsonl'))) return true
    const likely = names.filter((name) => /\.(?:json|md|traj)$/i.test(name)).slice(0, LOOKED_AT - lookedAt)
    if (likely.some((name) => isTranscript(join(inside, name)))) return true
    lookedAt += likely.length
    for (const entry of entries) {
      if (entry.isDirectory() && !NOT_ENTERED.has(entry.name)) folders.push(join(inside, entry.name))
    }
  }
  return false
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // It cannot be listed: of the folder that was asked for, the error that it is one says what to do.
    return []
  }
}

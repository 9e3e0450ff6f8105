import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isLogFile } from '../activity/log-files.ts'
import type { Probe } from '../contract/machine.ts'
import { toErrorInfo } from '../errors.ts'
import { readHead } from '../ingest/transcripts/head.ts'
import { openTranscript } from '../ingest/transcripts/open-transcript.ts'
import { isLikely, NOT_ENTERED, refuseOther } from '../ingest/transcripts/transcript-files.ts'
import { identifyMemory } from '../systems/opening/identify-memory.ts'

/** This many files of a folder and its subfolders are opened to see what the folder contains. */
const LOOKED_AT = 40
/** This many subfolders are entered, so that nobody waits for a whole disk. */
const FOLDERS_ENTERED = 200
const FIRST_LINE_BYTES = 64 * 1024

/** Says what is at a path and whether it can be opened, without opening a window. It never throws for a bad path. */
export async function probePath(given: string, cacheDir: string): Promise<Probe> {
  const path = resolve(given)
  try {
    const { system } = await identifyMemory(path, { cacheDir })
    return { path, kind: 'memory', system, error: null }
  } catch (error) {
    const info = toErrorInfo(error)
    const isImportable =
      (info.code === 'not_a_database' && (looksLikeTranscript(path) || (await isTranscript(path)))) ||
      (info.code === 'not_a_memory' && (await isTranscript(path))) ||
      (info.code === 'file_is_folder' && info.details?.suggestion === undefined && (await holdsTranscripts(path)))
    return isImportable
      ? { path, kind: 'transcript', system: null, error: null }
      : { path, kind: 'unusable', system: null, error: info }
  }
}

/**
 * Accepts a first line that is a JSON record with a type or a role, as every known agent writes it. The import examines
 * it more closely.
 */
function looksLikeTranscript(path: string): boolean {
  try {
    refuseOther(path)
    const start = readHead(path, FIRST_LINE_BYTES).text.trimStart()
    const end = start.indexOf('\n')
    // A record that is longer than what was read cannot be parsed, but its fields can be seen.
    if (end === -1 && start.length > FIRST_LINE_BYTES / 2) return /^\{.*"(role|type)"\s*:\s*"/s.test(start)
    const record: unknown = JSON.parse(end === -1 ? start : start.slice(0, end))
    return typeof record === 'object' && record !== null && ('type' in record || 'role' in record)
  } catch {
    // The file is not JSON or cannot be read. The error of opening it says what it is.
    return false
  }
}

/** Recognises a transcript, or the database of an agent, by its content, whatever its name. */
async function isTranscript(path: string): Promise<boolean> {
  try {
    refuseOther(path)
    const opened = await openTranscript({ file: path, bytes: statSync(path).size }, 'auto')
    opened?.close()
    return opened !== null
  } catch {
    // The file cannot be read, which opening it reports.
    return false
  }
}

/** Searches the folders as the import will, nearest first, because a project has a folder for each agent. */
async function holdsTranscripts(folder: string): Promise<boolean> {
  let lookedAt = 0
  const folders = [folder]
  for (let entered = 0; entered < Math.min(folders.length, FOLDERS_ENTERED); entered += 1) {
    const inside = folders[entered] ?? folder
    const entries = entriesOf(inside)
    const names = entries.filter((entry) => !entry.isDirectory() && !isLogFile(entry.name)).map(({ name }) => name)
    if (names.some((name) => name.toLowerCase().endsWith('.jsonl'))) return true
    const likely = names
      .filter((name) => isLikely(name) && !name.toLowerCase().endsWith('.jsonl'))
      .slice(0, LOOKED_AT - lookedAt)
    for (const name of likely) if (await isTranscript(join(inside, name))) return true
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
    // The folder cannot be listed. For the given folder the error says what to do.
    return []
  }
}

import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FoundTranscripts } from '../contract/machine.ts'
import type { Surroundings } from './known-places.ts'

/** Newest files of a place that are looked into for the project that they belong to. */
const LOOKED_AT = 200
const HEAD_BYTES = 32 * 1024
/** A machine may hold years of sessions: so many names a place are listed. */
const MAX_FILES = 20_000

type Found = { readonly path: string; readonly bytes: number; readonly modifiedAtMs: number }

/**
 * Sessions that agents keep in their usual places, by agent and project, last changed first. Names and sizes are read,
 * and of the newest files the beginning, where most agents write which project they worked on.
 */
export function discoverTranscripts({ home, env, cwd }: Surroundings): FoundTranscripts[] {
  const set = (name: string, fallback: string): string => env[name]?.trim() || fallback
  const claude = join(set('CLAUDE_CONFIG_DIR', join(home, '.claude')), 'projects')
  const codex = set('CODEX_HOME', join(home, '.codex'))
  const pi = set('PI_CODING_AGENT_DIR', join(home, '.pi', 'agent'))
  const openclaw = join(set('OPENCLAW_STATE_DIR', join(home, '.openclaw')), 'agents')
  const data = set('XDG_DATA_HOME', join(home, '.local', 'share'))
  const found = [
    ...folders(claude).flatMap((folder) => inFolder('Claude Code', folder, ['.jsonl'])),
    ...byProject('Codex', [join(codex, 'sessions'), join(codex, 'archived_sessions')], ['.jsonl']),
    ...folders(join(pi, 'sessions')).flatMap((folder) => inFolder('Pi', folder, ['.jsonl'])),
    ...folders(openclaw).flatMap((folder) =>
      inFolder('OpenClaw', join(folder, 'sessions'), ['.jsonl'], basename(folder)),
    ),
    ...folders(join(home, '.gemini', 'tmp')).flatMap((folder) =>
      inFolder('Gemini CLI', join(folder, 'chats'), ['.json', '.jsonl'], basename(folder).slice(0, 12)),
    ),
    ...inFolder('opencode', join(data, 'opencode', 'storage', 'session'), ['.json'], 'opencode').map((one) => ({
      ...one,
      paths: [join(data, 'opencode', 'storage')],
    })),
    ...inFolder('SpecStory', join(cwd, '.specstory', 'history'), ['.md'], cwd),
    ...oneFile('aider', join(cwd, '.aider.chat.history.md'), cwd),
  ]
  return found.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.label < b.label ? -1 : 1))
}

function inFolder(agent: string, folder: string, endings: readonly string[], label?: string): FoundTranscripts[] {
  const files = filesIn(folder, endings)
  if (files.length === 0) return []
  return [{ ...summed(agent, label ?? projectOf(files) ?? basename(folder), files), paths: [folder] }]
}

/** Where an agent keeps the sessions of all projects together, each says at its beginning whose it is. */
function byProject(agent: string, places: readonly string[], endings: readonly string[]): FoundTranscripts[] {
  const files = places.flatMap((folder) => filesIn(folder, endings)).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
  const groups = Map.groupBy(files, (file, index) => (index < LOOKED_AT ? (cwdOf(file.path) ?? '') : ''))
  return [...groups].map(([project, some]) => ({
    ...summed(agent, project || 'other projects', some),
    paths: some.map((file) => file.path),
  }))
}

function oneFile(agent: string, path: string, label: string): FoundTranscripts[] {
  const file = stat(path)
  return file ? [{ ...summed(agent, label, [file]), paths: [path] }] : []
}

const summed = (agent: string, label: string, files: readonly Found[]): Omit<FoundTranscripts, 'paths'> => ({
  agent,
  label,
  files: files.length,
  bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  modifiedAtMs: files.reduce((latest, file) => Math.max(latest, file.modifiedAtMs), 0),
})

/** The newest file that says it. */
function projectOf(files: readonly Found[]): string | null {
  for (const { path } of files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(0, 3)) {
    const project = cwdOf(path)
    if (project !== null) return project
  }
  return null
}

function cwdOf(path: string): string | null {
  const written = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(headOf(path))?.[1]
  if (written === undefined) return null
  try {
    const cwd: unknown = JSON.parse(written)
    return typeof cwd === 'string' && cwd !== '' ? cwd : null
  } catch {
    return null
  }
}

function headOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(HEAD_BYTES)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    // It cannot be read: its name has to do.
    return ''
  }
}

function filesIn(folder: string, endings: readonly string[]): Found[] {
  const isOne = ({ name }: Dirent): boolean => endings.some((ending) => name.endsWith(ending))
  return entries(folder, true)
    .filter((entry) => entry.isFile() && isOne(entry))
    .slice(0, MAX_FILES)
    .flatMap((entry) => stat(join(entry.parentPath, entry.name)) ?? [])
}

const folders = (folder: string): string[] =>
  entries(folder, false)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))

function entries(folder: string, recursive: boolean): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive })
  } catch {
    // What cannot be listed holds nothing for us.
    return []
  }
}

function stat(path: string): Found | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    return file?.isFile() && file.size > 0 ? { path, bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs) } : null
  } catch {
    return null
  }
}

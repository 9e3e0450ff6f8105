import { closeSync, type Dirent, openSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FoundTranscripts } from '../contract/machine.ts'
import { readAt } from '../read-at.ts'
import type { Surroundings } from '../systems/places.ts'
import { geminiProjects } from './gemini-projects.ts'

/** This many of the newest files of a place are opened to find their project. */
const LOOKED_AT = 200
const HEAD_BYTES = 32 * 1024
/** At most this many files of a place are listed, because a machine may have years of sessions. */
const MAX_FILES = 20_000

type TranscriptFile = { readonly path: string; readonly bytes: number; readonly modifiedAtMs: number }

/**
 * Finds the sessions that agents keep in their usual places, by agent and project, last changed first. It reads names
 * and sizes, and the beginning of the newest files, where most agents write their project.
 */
export function discoverTranscripts({ home, env, cwd }: Surroundings): FoundTranscripts[] {
  const set = (name: string, fallback: string): string => env[name]?.trim() || fallback
  const claude = join(set('CLAUDE_CONFIG_DIR', join(home, '.claude')), 'projects')
  const codex = set('CODEX_HOME', join(home, '.codex'))
  const pi = set('PI_CODING_AGENT_DIR', join(home, '.pi', 'agent'))
  const openclaw = join(set('OPENCLAW_STATE_DIR', join(home, '.openclaw')), 'agents')
  const gemini = join(set('GEMINI_CLI_HOME', home), '.gemini')
  const hermes = set('HERMES_HOME', join(home, '.hermes'))
  const opencode = join(set('XDG_DATA_HOME', join(home, '.local', 'share')), 'opencode')
  const kilo = join(opencode, '..', 'kilo')
  const found = [
    ...folders(claude).flatMap((folder) => inFolder('Claude Code', folder, ['.jsonl'])),
    ...byProject('Codex', [join(codex, 'sessions'), join(codex, 'archived_sessions')], ['.jsonl']),
    ...folders(set('PI_CODING_AGENT_SESSION_DIR', join(pi, 'sessions'))).flatMap((folder) =>
      inFolder('Pi', folder, ['.jsonl']),
    ),
    ...folders(join(home, '.omp', 'agent', 'sessions')).flatMap((folder) => inFolder('oh-my-pi', folder, ['.jsonl'])),
    ...folders(openclaw).flatMap((folder) =>
      inFolder('OpenClaw', join(folder, 'sessions'), ['.jsonl'], basename(folder)),
    ),
    ...folders(openclaw).flatMap((folder) =>
      oneFile('OpenClaw', join(folder, 'agent', 'openclaw-agent.sqlite'), basename(folder)),
    ),
    ...folders(join(opencode, 'storage', 'session')).flatMap((folder) => inFolder('opencode', folder, ['.json'])),
    ...folders(join(home, '.qwen', 'projects')).flatMap((folder) => inFolder('Qwen Code', folder, ['.jsonl'])),
    ...byProject('Copilot CLI', [join(home, '.copilot', 'session-state')], ['events.jsonl']),
    ...[hermes, ...folders(join(hermes, 'profiles'))].flatMap((folder) =>
      oneFile('Hermes Agent', join(folder, 'state.db'), folder === hermes ? 'default profile' : basename(folder)),
    ),
    ...folders(join(home, '.factory', 'sessions')).flatMap((folder) => inFolder('Droid', folder, ['.jsonl'])),
    ...byProject('Cline', [join(set('CLINE_DIR', join(home, '.cline')), 'data', 'sessions')], ['.messages.json']),
    ...byProject('Continue', [join(set('CONTINUE_GLOBAL_DIR', join(home, '.continue')), 'sessions')], ['.json']),
    ...folders(join(set('KIMI_CODE_HOME', join(home, '.kimi-code')), 'sessions')).flatMap((folder) =>
      inFolder('Kimi Code', folder, ['wire.jsonl']),
    ),
    ...namedFiles(opencode, /^opencode.*\.db$/).flatMap((path) => oneFile('opencode', path, basename(path))),
    ...namedFiles(kilo, /^kilo.*\.db$/).flatMap((path) => oneFile('Kilo', path, basename(path))),
    ...inFolder('SpecStory', join(cwd, '.specstory', 'history'), ['.md'], cwd),
    ...oneFile('aider', set('AIDER_CHAT_HISTORY_FILE', join(cwd, '.aider.chat.history.md')), cwd),
  ]
  const projects = geminiProjects(gemini, [...found.map(({ label }) => label), cwd, home])
  for (const folder of folders(join(gemini, 'tmp'))) {
    const name = basename(folder)
    const label = projects(name) ?? (/^[0-9a-f]{64}$/.test(name) ? name.slice(0, 12) : name)
    found.push(...inFolder('Gemini CLI', join(folder, 'chats'), ['.json', '.jsonl'], label))
  }
  return found.sort((a, b) => b.modifiedAtMs - a.modifiedAtMs || (a.label < b.label ? -1 : 1))
}

function inFolder(agent: string, folder: string, endings: readonly string[], label?: string): FoundTranscripts[] {
  const files = filesIn(folder, endings)
  if (files.length === 0) return []
  return [{ ...summed(agent, label ?? projectOf(files) ?? basename(folder), files), paths: [folder] }]
}

/** Groups sessions by the project that each names at its beginning, for agents that keep all projects together. */
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

const summed = (agent: string, label: string, files: readonly TranscriptFile[]): Omit<FoundTranscripts, 'paths'> => ({
  agent,
  label,
  files: files.length,
  bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  modifiedAtMs: files.reduce((latest, file) => Math.max(latest, file.modifiedAtMs), 0),
})

/** Returns the project that the newest file names. */
function projectOf(files: readonly TranscriptFile[]): string | null {
  for (const { path } of files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(0, 3)) {
    const project = cwdOf(path)
    if (project !== null) return project
  }
  return null
}

/**
 * Returns the project that a file names at its beginning or else at its end, because a first record may be longer than
 * what is read.
 */
function cwdOf(path: string): string | null {
  const file = stat(path)
  return file && (projectIn(textAt(path, 0)) ?? projectIn(textAt(path, Math.max(0, file.bytes - HEAD_BYTES))))
}

/**
 * Returns the working directory of a record, or of opencode's description of a session, which is a document of its own.
 */
function projectIn(text: string): string | null {
  const written = /"(?:cwd|workspaceDirectory)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  try {
    const cwd: unknown = written === undefined ? Object(JSON.parse(text)).directory : JSON.parse(written)
    return typeof cwd === 'string' && cwd !== '' ? cwd : null
  } catch {
    return null
  }
}

function textAt(path: string, from: number): string {
  try {
    const file = openSync(path, 'r')
    try {
      return readAt(file, from, HEAD_BYTES).toString()
    } finally {
      closeSync(file)
    }
  } catch {
    // The file cannot be read, so its name is used.
    return ''
  }
}

/** Continue and OpenClaw list their sessions in a file beside them. */
const SESSION_LIST = 'sessions.json'

/**
 * Lists files below a folder. When there are too many, it takes the last by name, because most agents begin names with
 * the date.
 */
function filesIn(folder: string, endings: readonly string[]): TranscriptFile[] {
  const paths: string[] = []
  const enter = (inside: string): void => {
    for (const entry of entries(inside)) {
      const path = join(inside, entry.name)
      if (entry.isDirectory()) enter(path)
      else if (entry.name !== SESSION_LIST && endings.some((ending) => entry.name.endsWith(ending))) paths.push(path)
    }
  }
  enter(folder)
  const taken = paths.length > MAX_FILES ? paths.sort().slice(-MAX_FILES) : paths
  return taken.flatMap((path) => stat(path) ?? [])
}

const namedFiles = (folder: string, name: RegExp): string[] =>
  entries(folder)
    .filter((entry) => name.test(entry.name))
    .map((entry) => join(folder, entry.name))

/** Includes links to folders. */
const folders = (folder: string): string[] =>
  entries(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(folder, name))

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A folder that cannot be listed is treated as empty.
    return []
  }
}

function stat(path: string): TranscriptFile | null {
  try {
    const file = statSync(path, { throwIfNoEntry: false })
    return file?.isFile() && file.size > 0 ? { path, bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs) } : null
  } catch {
    return null
  }
}

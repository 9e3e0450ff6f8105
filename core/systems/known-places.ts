import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Environment, userFolders } from '../folders.ts'

/** A file that may be there. */
export type Candidate = { readonly path: string; readonly label: string }

export type Surroundings = {
  readonly home: string
  readonly env: Environment
  /** Where the app was started: its project may keep a memory of its own. */
  readonly cwd: string
}

const MEMORY_NAME = /\.(db|sqlite|sqlite3)$/i

/** Every place where a known system keeps its memory on this machine. Only names are read, and small description files. */
export function knownPlaces(surroundings: Surroundings): Candidate[] {
  const { home, env } = surroundings
  const set = (name: string): string | null => env[name]?.trim() || null
  const configured = set('LCM_DATABASE_PATH')
  const candidates = [
    ...(configured ? [{ path: configured, label: shortName(configured) }] : []),
    ...ownMemories(userFolders(env).data),
    { path: join(set('OPENCLAW_STATE_DIR') ?? join(home, '.openclaw'), 'lcm.db'), label: 'OpenClaw' },
    ...losslessClaudeProjects(join(home, '.lossless-claude', 'projects')),
    { path: join(set('HERMES_HOME') ?? join(home, '.hermes'), 'lcm.db'), label: 'Hermes' },
    { path: join(home, '.argentos', 'lcm.db'), label: 'ArgentOS' },
    ...memoriesIn(join(home, '.pi', 'agent', 'lcm')),
    ...decapodAbove(surroundings.cwd),
  ]
  return [...new Map(candidates.map((candidate) => [candidate.path, candidate])).values()]
}

/** A name for people: the file's, or that of its project where every file has the same. */
export function shortName(path: string): string {
  const name = basename(path)
  const folder = dirname(path)
  if (basename(folder) === 'data' && basename(dirname(folder)) === '.decapod') return basename(dirname(dirname(folder)))
  if (name === 'db.sqlite') return projectOf(folder) ?? basename(folder)
  if (name !== 'lcm.db') return name.replace(MEMORY_NAME, '')
  return basename(folder).replace(/^\./, '') || name
}

function ownMemories(folder: string): Candidate[] {
  return [...memoriesIn(folder), ...memoriesIn(join(folder, 'memories'))]
}

function memoriesIn(folder: string): Candidate[] {
  return entries(folder)
    .filter((entry) => !entry.isDirectory() && MEMORY_NAME.test(entry.name))
    .map(({ name }) => ({ path: join(folder, name), label: shortName(join(folder, name)) }))
}

/** Folders are named by a hash of the project's path; `meta.json` beside the memory has the path. */
function losslessClaudeProjects(folder: string): Candidate[] {
  return entries(folder).map(({ name }) => {
    const project = join(folder, name)
    return { path: join(project, 'db.sqlite'), label: projectOf(project) ?? name.slice(0, 12) }
  })
}

function projectOf(folder: string): string | null {
  try {
    const meta: unknown = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'))
    const cwd = typeof meta === 'object' && meta !== null && 'cwd' in meta ? meta.cwd : null
    return typeof cwd === 'string' && cwd !== '' ? cwd : null
  } catch {
    // No description, or none that can be read: the caller has another name.
    return null
  }
}

function decapodAbove(cwd: string): Candidate[] {
  const candidates: Candidate[] = []
  for (let folder = cwd; ; folder = dirname(folder)) {
    candidates.push({ path: join(folder, '.decapod', 'data', 'lcm.db'), label: basename(folder) || folder })
    if (dirname(folder) === folder) return candidates
  }
}

/** What cannot be listed holds nothing for us. */
function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

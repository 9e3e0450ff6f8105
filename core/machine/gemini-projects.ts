import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../hashing.ts'

/**
 * Finds the projects of the folders under `tmp` of the Gemini CLI. A folder is named by a hash of the project's path,
 * or by a short name that the CLI notes in `projects.json` and `.project_root`. Other folders are compared with the
 * projects that other agents know.
 */
export function geminiProjects(folder: string, known: readonly string[]): (name: string) => string | null {
  const short = new Map<string, string>()
  const noted: string[] = []
  for (const [path, name] of listedProjects(folder)) {
    short.set(name, path)
    noted.push(path)
  }
  for (const place of ['history', 'tmp']) {
    for (const name of namesIn(join(folder, place))) {
      const path = readText(join(folder, place, name, '.project_root')).trim()
      if (path === '') continue
      short.set(name, path)
      noted.push(path)
    }
  }
  const hashed = new Map([...known, ...noted].map((path) => [sha256(path), path]))
  return (name) => short.get(name) ?? hashed.get(name) ?? null
}

function listedProjects(folder: string): [path: string, name: string][] {
  try {
    const { projects } = JSON.parse(readText(join(folder, 'projects.json'))) as { projects?: Record<string, unknown> }
    return Object.entries(projects ?? {}).flatMap(([path, name]) => (typeof name === 'string' ? [[path, name]] : []))
  } catch {
    // Older versions keep no list.
    return []
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The CLI noted nothing here.
    return ''
  }
}

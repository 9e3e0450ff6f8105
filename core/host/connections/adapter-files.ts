import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shellWord } from '#core/platform.ts'
import { type FileChange, isSame, readExactly } from './file-change.ts'

/** What is written into the files of an agent. */
export type Connected = {
  /** The memory file. */
  readonly memory: string
  /** The folder of the installation that the agent starts, and the Node that runs it. */
  readonly root: string
  /** The folder of the installation whose adapters are read: that of `root` may have been removed since. */
  readonly readFrom: string
  readonly node: string
  readonly version: string
  readonly dataDir: string
}

const folderIn = (root: string, agent: string): string => join(root, 'resources', 'adapters', agent)

/** The folder of an adapter, as the files of an agent name it. */
export const adapterFolder = ({ root }: Connected, agent: string): string => folderIn(root, agent)

/** The address of an adapter, as the files of an agent name it. */
export const adapterUrl = (given: Connected, agent: string): string => pathToFileURL(adapterFolder(given, agent)).href

/** A file of an agent as it is and as it will be. */
export function changed(path: string, change: (before: string | null) => string | null): FileChange {
  const before = readExactly(path)
  const after = change(before)
  // What says the same is left as it is written.
  return { path, before, after: isSame({ path, before, after }) ? before : after }
}

/** The files of an adapter, with the addresses of this installation in them. */
export function ourFiles(given: Connected, agent: string, to = join(given.dataDir, 'adapters', agent)): FileChange[] {
  const from = folderIn(given.readFrom, agent)
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('__pycache__'))
    .map((entry) => relative(from, join(entry.parentPath, entry.name)))
    .sort()
    .map((name) => changed(join(to, name), () => template(given, agent, name)))
}

/** Values are escaped as JSON and TOML write them in double quotes. */
export function template(given: Connected, agent: string, name: string): string {
  const { memory, root, readFrom, node, version } = given
  const cli = join(root, 'bin', 'lcm.mjs')
  const hook = [node, join(root, 'bin', 'lcm-hook.cjs'), agent, '--db', memory].map((word) => shellWord(word)).join(' ')
  const values: Readonly<Record<string, string>> = {
    NODE: node,
    CLI: cli,
    MEMORY: memory,
    VERSION: version,
    HOOK: hook,
    ADAPTER: adapterUrl(given, agent),
  }
  return readFileSync(join(folderIn(readFrom, agent), name), 'utf8').replaceAll(/@([A-Z]+)@/g, (whole, key: string) =>
    values[key] === undefined ? whole : escaped(values[key]),
  )
}

/** A value as JSON and TOML write it between double quotes. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

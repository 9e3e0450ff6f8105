import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Folder, FoundMemory, FoundTranscripts, Probe } from '../contract/machine.ts'
import type { FoundSettings } from '../contract/settings.ts'
import { LcmError } from '../errors.ts'
import { type Environment, type UserFolders, userFolders } from '../folders.ts'
import { sha256 } from '../hashing.ts'
import { writeWhole } from '../settings/user-file.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { Surroundings } from '../systems/places.ts'
import { discover } from './discover.ts'
import { listFolder } from './folder-list.ts'
import { discoverTranscripts } from './known-transcripts.ts'
import { RecentFiles } from './recent-files.ts'

export type MachineOptions = {
  readonly env: Environment
  /** The folder with the `sample.db` of the app. */
  readonly resourcesDir: string
  readonly home?: string
  readonly cwd?: string
}

/** Answers what is on this machine beside an open memory: files of other systems, recent files, the sample. */
export class Machine {
  readonly recent: RecentFiles
  readonly folders: UserFolders
  readonly #options: Required<MachineOptions>

  constructor(options: MachineOptions) {
    this.#options = { home: homedir(), cwd: process.cwd(), ...options }
    this.folders = userFolders(options.env)
    this.recent = new RecentFiles(this.folders.data)
  }

  /** The folder of the app's own files, such as its sample. */
  get resourcesDir(): string {
    return this.#options.resourcesDir
  }

  /** Where programs of this computer keep their files. */
  get surroundings(): Surroundings {
    return this.#options
  }

  /** Finds memories in the known places, last changed first. */
  discover(): Promise<FoundMemory[]> {
    return discover(this.#options, this.folders.cache)
  }

  /** Finds sessions in the known places, by agent and project, last changed first. */
  discoverTranscripts(): FoundTranscripts[] {
    return discoverTranscripts(this.#options)
  }

  /** Reads the settings of other systems in the known places. */
  async discoverSettings(): Promise<FoundSettings[]> {
    // Loaded only now, because its parsers are needed by nothing else of a door that starts quickly.
    const { discoverSettings } = await import('./found-settings.ts')
    return discoverSettings(this.#options)
  }

  /** Says what is at a path, also when it cannot be opened. */
  async probe(path: string): Promise<Probe> {
    // The formats of transcripts are loaded when somebody asks, and not before the first answer.
    const { probePath } = await import('./probe.ts')
    return probePath(path, this.folders.cache)
  }

  /**
   * Lists a folder, or the home folder of the user without a path.
   * @throws LcmError file_missing, file_not_readable, invalid_argument
   */
  listFolder(path?: string): Folder {
    return listFolder(path ?? this.#options.home)
  }

  /**
   * Returns the path of a writable copy of the sample.
   * @throws LcmError file_missing, disk_full, file_not_readable
   */
  samplePath(): string {
    return sampleMemory(this.#options.resourcesDir, this.folders.data)
  }

  /** Returns an unused path in the data folder of the user, named after what will be imported. */
  newMemoryPath(paths: readonly string[], mark = ''): string {
    const [first = 'memory', ...more] = paths.map((path) => resolve(path))
    const source = more.length > 0 ? dirname(first) : first
    return this.#newPath('memories', source, 'memory', mark, '.db')
  }

  /** Returns an unused path in the data folder of the user for a mended copy of a transcript. */
  newTranscriptPath(path: string): string {
    return this.#newPath('transcripts', path, 'transcript', 'mended', extname(path))
  }

  #newPath(place: string, source: string, unnamed: string, mark: string, ending: string): string {
    const name = basename(source, extname(source))
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 60)
    const folder = join(this.folders.data, place)
    try {
      mkdirSync(folder, { recursive: true })
    } catch (error) {
      throw fileError(error, folder)
    }
    for (let n = 1; ; n += 1) {
      const path = join(folder, `${name || unnamed}${mark && `-${mark}`}${n === 1 ? '' : `-${n}`}${ending}`)
      if (!existsSync(path)) return path
    }
  }
}

/**
 * Returns the path of a writable copy of the sample. Each edition of the sample has its own copy, so that an update
 * brings the new one and keeps what was tried on the old one.
 * @throws LcmError file_missing when the installation has none, disk_full, file_not_readable
 */
function sampleMemory(resourcesFolder: string, dataFolder: string): string {
  const original = join(resourcesFolder, 'sample.db')
  if (!existsSync(original)) {
    throw new LcmError(
      'file_missing',
      `The sample memory is missing from this installation (${original}): install the app again.`,
    )
  }
  const bytes = readFileSync(original)
  const edition = sha256(bytes).slice(0, 12)
  const path = join(dataFolder, 'sample', edition, 'sample.db')
  if (existsSync(path)) return path
  writeWhole(path, bytes)
  return path
}

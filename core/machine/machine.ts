import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Folder, FoundMemory, FoundTranscripts, Probe } from '../contract/machine.ts'
import { type Environment, type UserFolders, userFolders } from '../folders.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { discover } from './discover.ts'
import { listFolder } from './folder-list.ts'
import { discoverTranscripts } from './known-transcripts.ts'
import { probePath } from './probe.ts'
import { RecentFiles } from './recent-files.ts'
import { sampleMemory } from './sample-memory.ts'

export type MachineOptions = {
  readonly env: Environment
  /** Where `sample.db` came with the app. */
  readonly resourcesDir: string
  readonly home?: string
  readonly cwd?: string
}

/** What is on this machine around any one memory: the files of others, those opened before, the sample. */
export class Machine {
  readonly recent: RecentFiles
  readonly folders: UserFolders
  readonly #options: Required<MachineOptions>

  constructor(options: MachineOptions) {
    this.#options = { home: homedir(), cwd: process.cwd(), ...options }
    this.folders = userFolders(options.env)
    this.recent = new RecentFiles(this.folders.data)
  }

  /** Memories in the known places, last changed first. */
  discover(): Promise<FoundMemory[]> {
    return discover(this.#options, this.folders.cache)
  }

  /** Sessions in the known places, by agent and project, last changed first. */
  discoverTranscripts(): FoundTranscripts[] {
    return discoverTranscripts(this.#options)
  }

  /** What stands at a path; a path that cannot be opened is an answer too. */
  probe(path: string): Probe {
    return probePath(path, this.folders.cache)
  }

  /** Without a path the user's home. @throws LcmError file_missing, file_not_readable, invalid_argument */
  listFolder(path?: string): Folder {
    return listFolder(path ?? this.#options.home)
  }

  /** A copy of the sample memory that may be written to. @throws LcmError file_missing, disk_full, file_not_readable */
  samplePath(): string {
    return sampleMemory(this.#options.resourcesDir, this.folders.data)
  }

  /** A path where nothing stands yet, in the user's data folder, named after what will be imported into it. */
  newMemoryPath(paths: readonly string[], mark = ''): string {
    const [first = 'memory', ...more] = paths.map((path) => resolve(path))
    const source = more.length > 0 ? dirname(first) : first
    const name = basename(source, extname(source))
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 60)
    const folder = join(this.folders.data, 'memories')
    try {
      mkdirSync(folder, { recursive: true })
    } catch (error) {
      throw fileError(error, folder)
    }
    for (let n = 1; ; n += 1) {
      const path = join(folder, `${name || 'memory'}${mark && `-${mark}`}${n === 1 ? '' : `-${n}`}.db`)
      if (!existsSync(path)) return path
    }
  }
}

import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LcmError } from '#core/errors.ts'
import { sha256 } from '#core/hashing.ts'
import { namesIn } from '#core/ingest/transcripts/files-beside.ts'
import { parsedJson } from '#core/parsed-json.ts'
import { isLocked, lockRun } from '#core/sqlite/process-lock.ts'
import { isAlive } from '#core/sqlite/process-mark.ts'
import { type HookEvent, type HookedAgent, isEnd } from './hook-event.ts'

/** A transcript that waits to be imported. */
export type WaitingTranscript = {
  readonly agent: HookedAgent
  readonly path: string
  /** Whether its session has ended. */
  readonly hasEnded: boolean
}

/** When an agent was last heard of, and what it said then. */
export type LastHeard = { readonly atMs: number; readonly event: string; readonly memory: string }

/** What went wrong in a hook. Nothing of it reaches the agent. */
export type HookFailure = { readonly atMs: number; readonly agent: string; readonly text: string }

/** More is no help to anybody; then the older half goes. */
const MOST_FAILURE_BYTES = 64 * 1024
const LONGEST_FAILURE = 1000
const STARTED = '.started'
/** On a busy machine a process takes some seconds until it begins. */
const LONGEST_START_MS = 60_000

/**
 * What hooks leave for each other, in the app's data folder: transcripts to be imported into a memory, the summary of a
 * compaction that is under way, when an agent was last heard of, and what went wrong. A hook only writes here, so that
 * the agent waits for nothing else. All of it can be deleted: transcripts are read from the start of what is missing.
 */
export class HookFolder {
  readonly #root: string
  readonly #memory: string
  readonly #queue: string

  /** @param memory the file into which hooks import */
  constructor(dataDir: string, memory: string) {
    this.#root = join(dataDir, 'hooks')
    this.#memory = resolve(memory)
    this.#queue = join(this.#root, sha256(this.#memory).slice(0, 16))
  }

  get memory(): string {
    return this.#memory
  }

  /** Notes that an event came, and that its transcript waits to be imported. */
  take(agent: HookedAgent, event: HookEvent, atMs: number): void {
    this.note(agent, event, atMs)
    if (event.transcriptPath === null) return
    const waiting: WaitingTranscript = { agent, path: event.transcriptPath, hasEnded: isEnd(event) }
    this.#write(join(this.#queue, `${atMs}-${randomBytes(6).toString('hex')}.waiting`), JSON.stringify(waiting))
  }

  /** Notes that an event came. */
  note(agent: HookedAgent, event: HookEvent, atMs: number): void {
    this.noteHeard(agent, event.name, atMs)
    mkdirSync(this.#queue, { recursive: true, mode: 0o700 })
    if (event.name === 'PreCompact') this.#write(this.#compacting(event), JSON.stringify({ atMs }))
    else if (event.summary !== null) this.#keepSummary(event, event.summary)
  }

  /** Notes when an agent was last heard of. @throws NodeJS.ErrnoException */
  noteHeard(agent: string, event: string, atMs: number): void {
    mkdirSync(this.#root, { recursive: true, mode: 0o700 })
    const heard: LastHeard = { atMs, event, memory: this.#memory }
    this.#write(join(this.#root, `${agent}.heard`), JSON.stringify(heard))
  }

  /** @throws LcmError file_not_readable when the folder may not be listed: what waits in it would be taken for imported */
  #names(): readonly string[] {
    try {
      return namesIn(this.#queue)
    } catch (error) {
      const message = `${this.#queue} may not be listed, so what hooks have named for ${this.#memory} is not imported: change the permissions of the folder.`
      throw new LcmError('file_not_readable', message, { path: this.#queue }, { cause: error })
    }
  }

  /** @throws LcmError file_not_readable, as everything that looks at what waits */
  get isWaiting(): boolean {
    return this.#names().some(isWaitingName)
  }

  /** When the first of what waits was named, or null. Milliseconds since 1970. */
  get waitingSinceMs(): number | null {
    const times = this.#names()
      .filter(isWaitingName)
      .map((name) => Number.parseInt(name, 10))
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Says whether a process imports what waits. */
  get isBeingEmptied(): boolean {
    return isLocked(this.#lock)
  }

  /**
   * Says whether two processes import, wait for that, or were just started for it. Then nothing that is noted now is
   * missed, whenever one of them ends or is killed.
   */
  get isAttendedTo(): boolean {
    const starting = this.#names().filter((name) => isStarting(this.#queue, name))
    return starting.length + [this.#lock, this.#nextLock].filter(isLocked).length >= 2
  }

  /** Notes that a process was started that will import, so that many hooks at once start few of them. */
  noteStarted(pid: number): void {
    this.#write(join(this.#queue, `${pid}${STARTED}`), '')
  }

  /** Notes that a process has begun: from now on it is known by its lock, and looks at what waits. */
  noteBegun(pid: number): void {
    rmSync(join(this.#queue, `${pid}${STARTED}`), { force: true })
  }

  /** Begins to import. @returns a function that gives the lock back. @throws LcmError locked */
  lock(): () => void {
    mkdirSync(this.#queue, { recursive: true, mode: 0o700 })
    return lockRun(this.#lock)
  }

  /** Takes the place of the process that imports next. @returns a function that gives the lock back. @throws LcmError locked */
  lockNext(): () => void {
    mkdirSync(this.#queue, { recursive: true, mode: 0o700 })
    return lockRun(this.#nextLock)
  }

  /**
   * Returns what waits, each transcript once. It is taken out of the queue by `forget` when it was imported, so that a
   * process that is killed meanwhile leaves it to the next one.
   */
  waiting(): { readonly transcripts: readonly WaitingTranscript[]; readonly forget: () => void } {
    const once = new Map<string, WaitingTranscript>()
    const names = this.#names().filter(isWaitingName).toSorted()
    for (const name of names) {
      const waiting = jsonIn<WaitingTranscript>(join(this.#queue, name))
      if (waiting === null || typeof waiting.path !== 'string') continue
      const key = `${waiting.agent} ${waiting.path}`
      once.set(key, { ...waiting, hasEnded: waiting.hasEnded || (once.get(key)?.hasEnded ?? false) })
    }
    const forget = (): void => {
      for (const name of names) rmSync(join(this.#queue, name), { force: true })
    }
    return { transcripts: [...once.values()], forget }
  }

  /**
   * Returns when the compaction began that is under way in a session, and its summary if it is known, and forgets both.
   * Null when none is known to be under way.
   */
  takeCompaction(event: HookEvent): { readonly atMs: number; readonly summary: string | null } | null {
    const file = this.#compacting(event)
    const begun = jsonIn<{ atMs: number; summary?: string }>(file)
    rmSync(file, { force: true })
    return begun && { atMs: begun.atMs, summary: begun.summary ?? null }
  }

  lastHeard(agent: string): LastHeard | null {
    return jsonIn<LastHeard>(join(this.#root, `${agent}.heard`))
  }

  /** Writes down what went wrong. It never fails: then there is nothing left to be done. */
  fail(agent: string, error: unknown, atMs: number): void {
    try {
      mkdirSync(this.#root, { recursive: true, mode: 0o700 })
      const text = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_FAILURE)
      const failure: HookFailure = { atMs, agent, text }
      this.#shortenFailures()
      appendFileSync(this.#failures, `${JSON.stringify(failure)}\n`, { mode: 0o600 })
    } catch {
      // The folder cannot be written.
    }
  }

  /** What went wrong, oldest first. */
  failures(): HookFailure[] {
    const lines = textIn(this.#failures)?.split('\n') ?? []
    return lines.flatMap((line) => parsed<HookFailure>(line) ?? [])
  }

  get #failures(): string {
    return join(this.#root, 'failures.jsonl')
  }

  get #lock(): string {
    return join(this.#queue, 'importing.lock')
  }

  get #nextLock(): string {
    return join(this.#queue, 'next.lock')
  }

  #compacting({ sessionId }: HookEvent): string {
    return join(this.#queue, `${sha256(sessionId).slice(0, 16)}.compacting`)
  }

  /** A sub-agent that ends while no compaction is under way wrote no summary. */
  #keepSummary(event: HookEvent, summary: string): void {
    const file = this.#compacting(event)
    const begun = jsonIn<{ atMs: number }>(file)
    if (begun !== null) this.#write(file, JSON.stringify({ atMs: begun.atMs, summary }))
  }

  #shortenFailures(): void {
    if (sizeOf(this.#failures) < MOST_FAILURE_BYTES) return
    const lines = textIn(this.#failures)?.split('\n') ?? []
    this.#write(this.#failures, lines.slice(lines.length >> 1).join('\n'))
  }

  /** Under another name first: whoever reads it finds all of it or nothing. */
  #write(path: string, text: string): void {
    const next = `${path}.${randomBytes(6).toString('hex')}.tmp`
    writeFileSync(next, text, { flag: 'wx', mode: 0o600 })
    renameSync(next, path)
  }
}

/** Whether a process was started and has not begun yet. Removes the file of one that ended before it began. */
function isStarting(folder: string, name: string): boolean {
  if (!name.endsWith(STARTED)) return false
  const file = join(folder, name)
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  const isThere = Date.now() - mtimeMs < LONGEST_START_MS && isAlive(Number.parseInt(name, 10))
  if (!isThere) rmSync(file, { force: true })
  return isThere
}

const isWaitingName = (name: string): boolean => name.endsWith('.waiting')

function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const jsonIn = <T>(path: string): T | null => parsed<T>(textIn(path) ?? '')

/** These files are written by this class only; a damaged one counts as missing. */
function parsed<T>(text: string): T | null {
  const value = parsedJson(text)
  return typeof value === 'object' && value !== null ? (value as T) : null
}

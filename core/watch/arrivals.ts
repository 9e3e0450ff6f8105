import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { checkCoverage } from '../compare/transcript/check-coverage.ts'
import type { CoverageReport } from '../contract/coverage.ts'
import type { ListedConversation } from '../contract/memory.ts'
import type { WatchFinding } from '../contract/watch.ts'
import { LcmError } from '../errors.ts'
import { HookFolder } from '../host/hooks/hook-folder.ts'
import type { Lcm } from '../lcm.ts'
import { discoverTranscripts } from '../machine/known-transcripts.ts'
import { shellWord } from '../platform.ts'
import { isNative } from '../systems/native/native.ts'
import type { Surroundings } from '../systems/places.ts'
import { lastMessageAtMs } from '../systems/records/messages.ts'
import { plural } from '../text.ts'
import { runToEnd } from '../yielding.ts'

/** A message reaches the memory some seconds after the agent wrote it. When it is not there after this time, it will not come. */
const GRACE_MS = 60_000
/** A session whose transcript was not written to for this long is over. */
const RECENT_MS = 24 * 3_600_000
/** At most this many of the newest transcripts are looked at. */
const MOST_TRANSCRIPTS = 50
/** The places of transcripts are listed again after this time. */
const LISTED_MS = 60_000
const SESSION = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

type TranscriptFile = { readonly path: string; readonly bytes: number; readonly modifiedAtMs: number }

/**
 * Finds agents that write on while nothing arrives. The sessions of a memory are looked for in the usual places of
 * transcripts on this computer, by their ids. Where a transcript was written to after the last message that is stored,
 * both are compared, so that a line that is no message is no alarm. A comparison is made once for each state of both.
 */
export class Arrivals {
  readonly #where: Surroundings
  readonly #dataDir: string
  #listed: { readonly atMs: number; readonly files: readonly TranscriptFile[] } | null = null
  readonly #compared = new Map<string, { readonly state: string; readonly missing: CoverageReport['missing'] }>()

  /** @param dataDir where hooks note which transcripts wait */
  constructor(where: Surroundings, dataDir: string) {
    this.#where = where
    this.#dataDir = dataDir
  }

  /** @throws LcmError cancelled */
  async find(
    lcm: Lcm,
    conversations: readonly ListedConversation[],
    nowMs: number,
    signal: AbortSignal,
  ): Promise<WatchFinding[]> {
    const bySession = new Map(conversations.map((one) => [one.sessionId, one]))
    const found = this.#waiting(lcm.info.path, nowMs)
    for (const listed of this.#files(nowMs)) {
      const conversation = sessionsOf(listed.path).flatMap((id) => bySession.get(id) ?? [])[0]
      const file = conversation && fileAt(listed.path)
      if (!conversation || !file || nowMs - file.modifiedAtMs > RECENT_MS) continue
      const finding = await this.#compare(lcm, conversation, file, nowMs, signal)
      if (finding !== null) found.push(finding)
    }
    return found
  }

  /** A hook names a transcript, and a process imports it a moment later. */
  #waiting(memory: string, nowMs: number): WatchFinding[] {
    const stopped = { kind: 'ingest_stopped', severity: 'error', conversationId: null } as const
    let sinceMs: number | null
    try {
      sinceMs = new HookFolder(this.#dataDir, memory).waitingSinceMs
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      const mend = 'Give yourself the right to read it.'
      return [{ ...stopped, sinceMs: null, text: error.message, mend, command: 'lcm doctor' }]
    }
    if (sinceMs === null || nowMs - sinceMs < GRACE_MS) return []
    return [
      {
        ...{ ...stopped, sinceMs },
        text: 'Transcripts that an agent has named wait to be imported, and nothing imports them.',
        mend: 'See what failed with "lcm doctor". The next hook of the agent tries again.',
        command: 'lcm doctor',
      },
    ]
  }

  async #compare(
    lcm: Lcm,
    { conversationId, messages }: ListedConversation,
    { path, bytes, modifiedAtMs }: TranscriptFile,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<WatchFinding | null> {
    if (modifiedAtMs - (lastMessageAtMs(lcm.read, conversationId) ?? 0) < GRACE_MS) return null
    const state = `${bytes} ${modifiedAtMs} ${messages}`
    let known = this.#compared.get(path)
    if (known?.state !== state) {
      known = { state, missing: await missingIn(lcm, conversationId, path, signal) }
      this.#compared.set(path, known)
    }
    const late = known.missing.filter(({ atMs }) => nowMs - (atMs ?? modifiedAtMs) >= GRACE_MS)
    if (late.length === 0) return null
    return {
      ...{ kind: 'ingest_stopped', severity: 'error', conversationId },
      sinceMs: late.reduce<number | null>(
        (least, { atMs }) => (least === null ? atMs : Math.min(least, atMs ?? least)),
        null,
      ),
      text: `${plural(late.length, 'message')} of ${basename(path)} ${late.length === 1 ? 'has' : 'have'} not arrived.`,
      mend: 'See whether the agent is connected, and what failed, with "lcm doctor". An import brings what is missing.',
      command: `lcm import ${shellWord(path)}`,
    }
  }

  /** The newest first. */
  #files(nowMs: number): readonly TranscriptFile[] {
    if (this.#listed === null || nowMs - this.#listed.atMs > LISTED_MS) {
      const paths = discoverTranscripts(this.#where)
        .filter(({ modifiedAtMs }) => nowMs - modifiedAtMs <= RECENT_MS)
        .flatMap(({ paths }) => paths.flatMap(transcriptsAt))
      const files = paths.flatMap((path) => fileAt(path) ?? []).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs)
      this.#listed = { atMs: nowMs, files: files.slice(0, MOST_TRANSCRIPTS) }
    }
    return this.#listed.files
  }
}

/** Nothing for a transcript that cannot be read: the import says why. */
async function missingIn(
  lcm: Lcm,
  conversationId: number,
  path: string,
  signal: AbortSignal,
): Promise<CoverageReport['missing']> {
  try {
    const input = { conversationId, path, format: 'auto' } as const
    return (await runToEnd(checkCoverage({ db: lcm.read, isNative: isNative(lcm.info) }, input, signal))).missing
  } catch (error) {
    if (error instanceof LcmError && error.code !== 'cancelled') return []
    throw error
  }
}

/** The ids that a transcript can be of: agents name the file by the session, some with a time before it. */
const sessionsOf = (path: string): string[] => {
  const stem = basename(path).replace(/\.\w+$/, '')
  return [stem, ...(stem.match(SESSION) ?? []), ...(stem.includes('_') ? [stem.slice(stem.indexOf('_') + 1)] : [])]
}

function transcriptsAt(path: string): string[] {
  if (fileAt(path) !== null) return [path]
  return entriesOf(path).flatMap((entry) => (entry.isFile() ? join(path, entry.name) : []))
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A folder that cannot be listed is treated as empty.
    return []
  }
}

function fileAt(path: string): TranscriptFile | null {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.isFile() ? { path, bytes: file.size, modifiedAtMs: Math.round(file.mtimeMs) } : null
}

import { existsSync } from 'node:fs'
import { setTimeout as later } from 'node:timers/promises'
import { z } from 'zod'
import { ProbeJobInput } from '#core/contract/probe.ts'
import { LcmError } from '#core/errors.ts'
import { userFolders } from '#core/folders.ts'
import { HOOKED_AGENTS, type HookedAgent, readHookEvent } from '#core/host/hooks/hook-event.ts'
import { HookFolder, type WaitingTranscript } from '#core/host/hooks/hook-folder.ts'
import type { Lcm } from '#core/lcm.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { requireEnabled } from '#core/settings/switched-off.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import type { Answer } from '../output/output.ts'
import { makeFolderOf, withMemory } from '../session.ts'

const TOKENS = 1_500
/** A process that waits for its turn looks again after this time. */
const TURN_MS = 200
/** How often a process tries to import while other programs write to the memory, and the time between. */
const MOST_ATTEMPTS = 20
const ATTEMPT_MS = 1_000
/** A probe of a long session at its end is given up after this time. */
const PROBE_MS = 300_000

/**
 * What hooks of agents start (core/doors/hook.ts). Nothing that goes wrong reaches the agent: it is written down, and
 * `lcm doctor` tells it.
 */
export const hook = defineCommand({
  name: 'hook',
  example: 'hook claude-code --queued --db memory.db',
  fields: z.object({
    agent: z.enum(HOOKED_AGENTS).meta({ description: 'the agent that started the hook' }),
    queued: z.boolean().default(false).describe('import the transcripts that hooks have named, and end'),
    tokens: z.int().min(100).max(20_000).default(TOKENS).meta({
      description: 'at most this many tokens are given back after a compaction',
      value: 'n',
    }),
  }),
  positional: ['agent'],
  run: async ({ agent, queued, tokens }, { db, newer }) => {
    const settings = loadSettings(process.env)
    const path = db ?? settings.databasePath
    const folder = new HookFolder(userFolders(process.env).data, path)
    try {
      requireEnabled(settings, 'import transcripts')
      makeFolderOf(path)
      const given = { db: path, newer: newer ?? false }
      if (!queued) return answer(await recall(folder, agent, given, tokens))
      folder.noteBegun(process.pid)
      await importQueued(folder, given)
    } catch (error) {
      folder.fail(agent, error, Date.now())
    }
    return answer(null)
  },
})

/** What both agents read from a hook. */
type HookAnswer = {
  readonly hookSpecificOutput: { readonly hookEventName: string; readonly additionalContext: string }
}

/** An agent takes every text that is printed for its model, so without an answer none is. */
const answer = (given: HookAnswer | null): Answer => ({
  json: given ?? {},
  text: () => (given === null ? '' : JSON.stringify(given)),
  isDocument: true,
})

type Given = { readonly db: string; readonly newer: boolean }

/**
 * Imports until nothing waits. One process at a time does that for a memory. Sessions that have ended are probed after
 * that, so that no other import has to wait.
 */
async function importQueued(folder: HookFolder, given: Given): Promise<void> {
  const ended = new Set<number>()
  // It looks again without its lock: a hook that saw the lock meanwhile has started no other process.
  for (let attempt = 1; folder.isWaiting; attempt += 1) {
    const release = await waitForTurn(folder)
    if (release === null) break
    try {
      await importWaiting(folder, given, ended)
    } catch (error) {
      if (!isLocked(error) || attempt === MOST_ATTEMPTS) throw error
    } finally {
      release()
    }
    if (folder.isWaiting) await later(ATTEMPT_MS)
  }
  if (ended.size > 0) await withMemory(given, (lcm) => probeEnded(lcm, [...ended]), { readOnly: true })
}

/**
 * Imports what waits, and adds the conversations of sessions that have ended to `ended`.
 * @throws LcmError locked when another program writes to the memory. Then everything goes on waiting.
 */
async function importWaiting(folder: HookFolder, given: Given, ended: Set<number>): Promise<void> {
  while (folder.isWaiting) {
    const { transcripts, forget } = folder.waiting()
    for (const { agent, hasEnded, paths } of importsOf(transcripts)) {
      try {
        const imported = await withMemory(given, (lcm) => importAll(lcm, folder, { agent, hasEnded, paths }), {
          create: true,
        })
        for (const path of hasEnded ? paths : []) {
          const conversationId = imported.get(path)
          if (conversationId !== undefined) ended.add(conversationId)
        }
      } catch (error) {
        if (isLocked(error)) throw error
        folder.fail(agent, error, Date.now())
      }
    }
    forget()
  }
}

/**
 * Waits until no other process imports. One process waits at a time, so that many hooks at once start few of them, and
 * one takes over when the other is killed.
 * @returns a function that gives the lock back, or null when nothing waits, or another process waits already
 */
async function waitForTurn(folder: HookFolder): Promise<(() => void) | null> {
  const leave = unlessLocked(() => folder.lockNext())
  if (leave === null) return null
  try {
    while (folder.isWaiting) {
      const release = folder.isBeingEmptied ? null : unlessLocked(() => folder.lock())
      if (release !== null) return release
      await later(TURN_MS)
    }
    return null
  } finally {
    leave()
  }
}

function unlessLocked(lock: () => () => void): (() => void) | null {
  try {
    return lock()
  } catch (error) {
    if (isLocked(error)) return null
    throw error
  }
}

const isLocked = (error: unknown): boolean => error instanceof LcmError && error.code === 'locked'

/**
 * Asks what the agent would still know at the end of a session. The log of events keeps the figure. A session without a
 * summary has lost nothing.
 */
async function probeEnded(lcm: Lcm, conversationIds: readonly number[]): Promise<void> {
  const { probeWindows } = await import('#core/jobs/probe-windows.ts')
  for (const conversationId of conversationIds) {
    if ((lcm.stats.conversation(conversationId)?.summaries ?? 0) === 0) continue
    const input = ProbeJobInput.parse({ conversationId })
    await interruptible((signal) =>
      probeWindows(lcm, input, { settings: lcm.settings }, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])),
    )
  }
}

/** Transcripts that are imported together. */
type Import = Pick<WaitingTranscript, 'agent' | 'hasEnded'> & { readonly paths: readonly string[] }

function importsOf(transcripts: readonly WaitingTranscript[]): Import[] {
  return [...Map.groupBy(transcripts, (one) => one.agent)].flatMap(([agent, ofAgent]) =>
    [...Map.groupBy(ofAgent, (one) => one.hasEnded)].map(([hasEnded, some]) => {
      return { agent, hasEnded, paths: some.map(({ path }) => path) }
    }),
  )
}

/**
 * Imports transcripts with those of their sub-agents, and writes down which of them cannot be read. A session without a
 * word has no transcript yet. One whose session has ended is read as a whole, in case that it was changed in the middle.
 * @throws LcmError when none of them can be read
 */
async function importAll(lcm: Lcm, folder: HookFolder, { agent, hasEnded, paths: given }: Import): Promise<Imported> {
  const { importTranscripts } = await import('#core/ingest/transcripts/import-transcripts.ts')
  const db = lcm.requireWrite('import transcripts')
  const { estimator, clock, files } = lcm
  const paths = given.flatMap((path) => [path, path.replace(/\.jsonl$/, '')].filter((one) => existsSync(one)))
  if (paths.length === 0) return new Map()
  const input = { db, estimator, clock, files, paths, format: agent, window: 'agent', goesOn: !hasEnded } as const
  const { files: imported } = await interruptible((signal) => importTranscripts(input, signal))
  for (const { path, error } of imported) if (error !== null) folder.fail(agent, `${path}: ${error}`, Date.now())
  return new Map(
    imported.flatMap(({ path, conversationId }) => (conversationId === null ? [] : [[path, conversationId]])),
  )
}

/** The conversation of each transcript. */
type Imported = ReadonlyMap<string, number>

/** Returns what the agent is to read for its model, as both agents take it, or nothing. */
async function recall(
  folder: HookFolder,
  agent: HookedAgent,
  given: Given,
  tokenCap: number,
): Promise<HookAnswer | null> {
  const { text } = await import('node:stream/consumers')
  const event = readHookEvent(await text(process.stdin))
  if (event?.transcriptPath == null) return null
  const { transcriptPath } = event
  const started = { agent, hasEnded: false, paths: [transcriptPath] }
  folder.note(agent, event, Date.now())
  const said = await withMemory(
    given,
    async (lcm) => {
      const conversationId = (await importAll(lcm, folder, started)).get(transcriptPath)
      if (conversationId === undefined) return ''
      const { whatLeftWindow } = await import('#core/host/hooks/left-window.ts')
      const compaction = folder.takeCompaction(event)
      const isLeaving = compaction !== null && !isStored(lcm, conversationId, compaction.atMs)
      const input = { conversationId, isLeaving, summary: compaction?.summary ?? null, tokenCap }
      return interruptible((signal) => whatLeftWindow(lcm, input, signal))
    },
    { create: true },
  )
  return said === '' ? null : { hookSpecificOutput: { hookEventName: event.name, additionalContext: said } }
}

/** Codex writes a compaction down before the session starts again, Claude Code after that. */
function isStored({ compactions }: Lcm, conversationId: number, sinceMs: number): boolean {
  const [newest] = compactions.runs({ conversationId, created: 'counted' })
  return newest !== undefined && (newest.finishedAtMs ?? newest.startedAtMs) >= sinceMs
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CompactInput } from '#core/contract/compaction.ts'
import { copyMemory } from '#core/doctor/working-copy/copy-memory.ts'
import { runJob } from '#core/doors/run-job.ts'
import { LcmError } from '#core/errors.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runToEnd } from '#core/yielding.ts'
import { runImport } from '../builders/import.ts'
import { filesBeside, largeFiles } from '../builders/large-files.ts'

/** What is killed, and cut off by a full disk and a loss of power. */
export const WORKS = ['import', 'files', 'compaction', 'repair', 'copy'] as const
export type Work = (typeof WORKS)[number]

/** The names of files in the folder of a work. */
export const TRANSCRIPT = 'session.jsonl'
export const ORIGINAL = 'original.db'
const MEMORY = 'lcm.db'
export const memoryIn = (folder: string): string => join(folder, MEMORY)

/** A program of this suite beside the one that runs: a source, or one that was built (`long.ts`). */
export function programPath(name: 'case-process' | 'cut-off-work'): string {
  const running = process.argv[1] ?? ''
  return running.endsWith('.mjs') ? join(running, '..', `${name}.mjs`) : join(import.meta.dirname, `${name}.ts`)
}

const never = new AbortController().signal
const settings = readSettings({
  LCM_LEAF_CHUNK_TOKENS: '500',
  LCM_LEAF_TARGET_TOKENS: '80',
  LCM_CONDENSED_TARGET_TOKENS: '80',
  LCM_CONDENSED_MIN_FANOUT: '3',
  LCM_FRESH_TAIL_COUNT: '3',
})
/** Texts of at least so many tokens get files of their own. */
const LARGE_TOKENS = 300

/** Does a work in its folder to the end, from where an earlier attempt stopped. */
export async function runWork(work: Work, folder: string): Promise<void> {
  await runs[work](folder)
}

const runs: Readonly<Record<Work, (folder: string) => Promise<void>>> = {
  import: (folder) => importInto(folder, false),
  files: (folder) => importInto(folder, true),
  compaction: (folder) =>
    withLcm(memoryIn(folder), async (lcm) => {
      const input = CompactInput.parse({ conversationId: 1, mode: 'full', settings: { minMessagesToCompact: 1 } })
      await runToEnd(lcm.compactionEngine().compact(input, never))
    }),
  repair: (folder) =>
    withLcm(memoryIn(folder), async (lcm) => {
      const planned = await runToEnd(runJob(lcm, { kind: 'repair_plan' }, never))
      if (planned.kind !== 'repair_plan') throw new Error('no plan')
      const steps = planned.value.steps.filter(({ risk }) => risk !== 'manual').map(({ id }) => ({ id }))
      if (steps.length > 0) await runToEnd(runJob(lcm, { kind: 'repair', steps, summarizer: 'deterministic' }, never))
    }),
  copy: async (folder) => {
    const isMade = existsSync(memoryIn(folder))
    using from = await openLcm(join(folder, ORIGINAL), { readOnly: true, settings, cacheDir: join(folder, 'cache') })
    try {
      await runToEnd(copyMemory({ from, to: memoryIn(folder) }, never))
    } catch (error) {
      // A copy that was finished is kept, and whoever asks for it again is told so.
      if (!isMade || !(error instanceof LcmError) || error.code !== 'invalid_argument') throw error
    }
  },
}

async function importInto(folder: string, isKeepingFiles: boolean): Promise<void> {
  const path = memoryIn(folder)
  using db = openNative(path)
  const files = isKeepingFiles ? { files: largeFiles(path, LARGE_TOKENS, { root: filesBeside(path) }) } : {}
  await runImport(db, [join(folder, TRANSCRIPT)], files)
}

async function withLcm(path: string, body: (lcm: Awaited<ReturnType<typeof openLcm>>) => Promise<void>): Promise<void> {
  using lcm = await openLcm(path, { settings, owner: `work ${process.pid}`, cacheDir: join(path, '../cache') })
  await body(lcm)
}

/** What a memory says, in an order and with names that do not depend on when or how often it was written. */
export type Told = {
  readonly messages: readonly string[]
  readonly window: readonly string[]
  readonly summaries: readonly string[]
}

export function toldIn(path: string): Told {
  using db = openNative(path)
  return {
    messages: db.column<string>(
      `SELECT session_id || ' ' || seq || ' ' || role || ' ' || content_hash || ' ' ||
           (SELECT count(*) FROM message_parts AS p WHERE p.message_id = m.message_id AND p.is_synthetic = 0)
         FROM messages AS m JOIN conversations USING (conversation_id) ORDER BY conversation_id, seq`,
    ),
    window: db.column<string>(
      `SELECT conversation_id || ' ' || coalesce(summary_id, message_id)
         FROM context_items ORDER BY conversation_id, ordinal`,
    ),
    summaries: db.column<string>('SELECT summary_id FROM summaries ORDER BY summary_id'),
  }
}

import type { IntegrityReport } from '#core/contract/integrity.ts'
import type { JobProgress, JobResult, JobSpec } from '#core/contract/job.ts'
import type { RepairPlan, RepairResult } from '#core/contract/repair.ts'
import { runJob } from '#core/doors/run-job.ts'
import type { Lcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { openHere } from '#test/builders/ledgers.ts'

type ResultOf<S extends Exclude<JobSpec, { kind: 'map' }>> = Extract<JobResult, { kind: S['kind'] }>['value']

/** A job to its end, on a connection of its own, with the settings of somebody who configured nothing. */
export async function runOn<
  S extends Exclude<JobSpec, { kind: 'map' | 'probe' | 'compare' | 'compaction_preview' | 'push' | 'fetch' }>,
>(
  path: string,
  spec: S,
  onProgress: (progress: JobProgress, abort: AbortController) => void = () => {},
): Promise<ResultOf<S>> {
  using lcm = await openHere(path, { settings: readSettings({}), owner: 'test' })
  return await runIn(lcm, spec, onProgress)
}

export async function runIn<
  S extends Exclude<JobSpec, { kind: 'map' | 'probe' | 'compare' | 'compaction_preview' | 'push' | 'fetch' }>,
>(
  lcm: Lcm,
  spec: S,
  onProgress: (progress: JobProgress, abort: AbortController) => void = () => {},
): Promise<ResultOf<S>> {
  const abort = new AbortController()
  const job = runJob(lcm, spec, abort.signal)
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value.value as ResultOf<S>
    onProgress(step.value, abort)
  }
}

export const scan = (path: string): Promise<IntegrityReport> => runOn(path, { kind: 'integrity' })
export const plan = (path: string): Promise<RepairPlan> => runOn(path, { kind: 'repair_plan' })
export const apply = (path: string, steps: readonly string[]): Promise<RepairResult> =>
  runOn(path, { kind: 'repair', summarizer: 'deterministic', steps: steps.map((id) => ({ id })) })

/** Checks that find an error or a warning. */
export const fired = (report: IntegrityReport): string[] =>
  report.checks.filter((check) => check.count > 0 && check.severity !== 'info').map((check) => check.id)

/**
 * Whether the indexes of a kind of rows hold the words of their texts, and of no others.
 * https://www.sqlite.org/fts5.html#the_integrity_check_command
 */
export function isIndexSound(db: WriteDb, kind: 'messages' | 'summaries'): boolean {
  try {
    for (const table of [`${kind}_fts`, `${kind}_trigram`]) {
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)
    }
    return true
  } catch {
    return false
  }
}

/** Every canonical row, byte for byte; estimates of tokens apart. */
export const canonical = (db: ReadDb): string =>
  JSON.stringify([
    db.all('SELECT * FROM conversations ORDER BY conversation_id'),
    db.all(
      'SELECT message_id, conversation_id, seq, role, created_at, external_id, content_hash, content FROM messages ORDER BY message_id',
    ),
    db.all('SELECT * FROM message_parts ORDER BY message_id, ordinal'),
  ])

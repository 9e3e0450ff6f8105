import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { timed } from './statistics.ts'

export type IntegrityMeasure = {
  readonly messages: number
  readonly summaries: number
  /** The processor time of all of it as a multiple of that of SQLite's own check of the file. */
  readonly timesAlone: number
  /** By what is read: rows, texts, indexes, files, pages. */
  readonly phases: readonly { readonly phase: string; readonly durationMs: number }[]
  /** The longest time without a yield before SQLite's own check, in milliseconds. */
  readonly longestMs: number
  /** Checks that found an error or a warning. */
  readonly wrong: readonly string[]
}

/** Runs every check on a memory, as the job does. */
export async function measureIntegrity(path: string): Promise<IntegrityMeasure> {
  const lcm = await openLcm(path, { readOnly: true, settings: readSettings({}) })
  const alone = await timed(() => lcm.read.all('PRAGMA integrity_check'))
  const used = process.cpuUsage()
  const job = (await lcm.doctor()).integrity.run(undefined, new AbortController().signal)
  let longestMs = 0
  for (;;) {
    const startedAt = performance.now()
    const step = await job.next()
    if (!step.done) {
      if (!['sqlite_integrity', 'foreign_keys'].includes(step.value.note ?? '')) {
        longestMs = Math.max(longestMs, performance.now() - startedAt)
      }
      continue
    }
    lcm.close()
    const { user, system } = process.cpuUsage(used)
    const timesAlone = (user + system) / 1000 / alone.cpuMs
    const { messages, summaries, phases = [], checks } = step.value
    const wrong = checks.filter(({ count, severity }) => count > 0 && severity !== 'info').map(({ id }) => id)
    return { messages, summaries, timesAlone, phases, longestMs, wrong }
  }
}

const path = process.argv[2]
if (import.meta.main && path) console.log(JSON.stringify(await measureIntegrity(path)))

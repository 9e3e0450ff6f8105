import { ActivityReader } from '../../activity/activity-reader.ts'
import { userFolders } from '../../folders.ts'
import type { Lcm } from '../../lcm.ts'
import type { Define, Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { type MemoryOptions, withMemory } from './session.ts'

/** Adds the command metrics: figures of a memory for Prometheus. */
export function addMetricsCommand(define: Define, run: Run): void {
  run(
    define('metrics', 'what was done with a memory, and what it holds, in the text format of Prometheus').option(
      '--no-integrity',
      'leave the checks out, which read the whole file and count as a scan',
    ),
    async (options: MemoryOptions & { integrity: boolean }): Promise<Answer> => {
      const text = await withMemory(options, (lcm) => metricsOf(lcm, options.integrity), { readOnly: true })
      return { json: { format: 'prometheus', text }, text: () => text.trimEnd() }
    },
  )
}

async function metricsOf(lcm: Lcm, isChecked: boolean): Promise<string> {
  const report = isChecked ? await interruptible((signal) => lcm.integrity.run(undefined, signal)) : null
  const checks = report?.checks.filter(({ severity }) => severity !== 'info') ?? []
  const activity = new ActivityReader(userFolders(process.env).log, lcm.info.path)
  return activity.prometheus({ conversations: lcm.stats.conversations(), checks }, 'this')
}

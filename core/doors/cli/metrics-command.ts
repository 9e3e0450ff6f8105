import { GrepInput } from '../../contract/retrieval.ts'
import type { Lcm } from '../../lcm.ts'
import { deepestSummary } from '../../systems/records/summaries.ts'
import type { Define, Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { type MemoryOptions, withMemory } from './session.ts'

/** Adds the command metrics: figures of a memory for Prometheus. */
export function addMetricsCommand(define: Define, run: Run): void {
  run(
    define('metrics', 'figures of a memory in the text format of Prometheus').option(
      '--no-integrity',
      'leave the checks out, which read the whole file',
    ),
    async (options: MemoryOptions & { integrity: boolean }): Promise<Answer> => {
      const metrics = await withMemory(options, (lcm) => measure(lcm, options.integrity), { readOnly: true })
      return { json: { format: 'prometheus', text: metrics }, text: () => metrics.trimEnd() }
    },
  )
}

async function measure(lcm: Lcm, isChecked: boolean): Promise<string> {
  const report = isChecked ? await interruptible((signal) => lcm.integrity.run(undefined, signal)) : null
  const failures =
    report?.checks.flatMap(({ id, severity, count }) =>
      severity === 'info' ? [] : [{ check: id, severity, count }],
    ) ?? null
  const summary = deepestSummary(lcm.read)
  const expandMs =
    summary === undefined
      ? null
      : await timed(() =>
          lcm.retrieval.expand({
            summaryId: summary,
            depth: 1,
            includeMessages: true,
            tokenCap: lcm.settings.maxExpandTokens,
          }),
        )
  const searchMs = await timed(() => lcm.retrieval.grep(GrepInput.parse({ query: 'the error', exactTotal: false })))
  const { metricsText } = await import('../../browse/export/metrics.ts')
  return metricsText(lcm, { expandMs, searchMs, failures })
}

/** Measures milliseconds, to the microsecond. */
async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round((performance.now() - start) * 1000) / 1000
}

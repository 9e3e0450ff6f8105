import { resolve } from 'node:path'
import type { SalvageReport } from '../../contract/salvage.ts'
import type { Define, Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import { type Answer, EXIT } from './output.ts'
import { count, table } from './text.ts'

/** Adds the command salvage: what can still be read of a damaged file, as a native memory. */
export function addSalvageCommand(define: Define, run: Run): void {
  run(
    define('salvage', 'save what can still be read of a damaged file into a new one; exit code 3 when rows were lost')
      .requiredOption('--from <file>', 'the damaged file; it is not changed')
      .requiredOption('--to <file>', 'where the copy goes; nothing may be there'),
    async (options: { from: string; to: string }): Promise<Answer> => {
      const { salvageMemory } = await import('../../doctor/salvage/salvage-memory.ts')
      const request = { from: resolve(options.from), to: resolve(options.to) }
      const report = await interruptible((signal) => salvageMemory(request, signal))
      return { json: report, text: () => salvageText(report), exitCode: report.isWhole ? EXIT.done : EXIT.findings }
    },
  )
}

function salvageText(report: SalvageReport): string {
  const lost = report.tables.flatMap((one) =>
    one.lost.map(({ from, to }) => `${one.table}: ${from === to ? from : `from ${from} to ${to}`}`),
  )
  return [
    `${report.to}: ${report.isWhole ? 'everything could be read.' : 'what could be read; what is known to be lost is listed below.'}`,
    ...(report.missingBytes > 0
      ? [`The file was cut off: ${count(report.missingBytes)} bytes are missing at its end.`]
      : []),
    ...(report.byPages
      ? ['Its table of contents is lost: rows were found page by page. What stood on lost pages cannot be named.']
      : []),
    '',
    table(
      ['table', 'rows saved', 'refused', 'ranges lost'],
      report.tables.map((one) => [one.table, one.read, one.refused, one.lostRanges]),
    ),
    ...lost.slice(0, 40).map((line) => `lost  ${line}`),
    ...(lost.length > 40 ? [`and ${count(lost.length - 40)} more`] : []),
  ].join('\n')
}

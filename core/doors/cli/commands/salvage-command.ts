import { resolve } from 'node:path'
import { z } from 'zod'
import { SalvageReport } from '#core/contract/salvage.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { LcmError } from '#core/errors.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { EXIT } from '../output/output.ts'
import { memoryPath } from '../output/output-file.ts'
import { count, table } from '../output/text.ts'

/** What can still be read of a damaged file, as a native memory. */
export const salvage = defineCommand({
  name: 'salvage',
  example: 'salvage --from damaged.db --to saved.db',
  fields: z.object({
    from: z.string().meta({ description: 'the damaged file; it is not changed', value: 'file' }),
    to: z.string().meta({ description: 'where the copy goes; nothing may be there', value: 'file' }),
  }),
  prints: SalvageReport,
  run: async ({ from, to }) => {
    if (isDatabaseAddress(from) || isDatabaseAddress(to)) {
      throw new LcmError(
        'unsupported',
        'A salvage reads a damaged file and writes a file. Between files and databases, "lcm copy --from … --to …" copies.',
      )
    }
    const { salvageMemory } = await import('#core/doctor/salvage/salvage-memory.ts')
    const request = { from: resolve(from), to: memoryPath(to) }
    const report = await interruptible((signal) => salvageMemory(request, signal))
    return { json: report, text: () => salvageText(report), exitCode: report.isWhole ? EXIT.done : EXIT.findings }
  },
})

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
      ? [
          'Its table of contents is lost: rows were found page by page. Of what stood on lost pages only messages between others can be named.',
        ]
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

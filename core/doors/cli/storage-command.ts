import { measureStorage } from '#core/browse/storage/measure-storage.ts'
import { StorageReport } from '#core/contract/storage.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import { withMemory } from './session.ts'
import { bytes, table } from './text.ts'

export const storage = defineCommand({
  name: 'storage',
  example: 'storage --db sample.db',
  memory: 'reads',
  prints: StorageReport,
  run: async (_input, given) => {
    const report = await withMemory(
      given,
      (lcm) =>
        interruptible((signal) =>
          measureStorage(
            { db: lcm.read, info: lcm.info, largeFileTokens: lcm.settings.largeFileTokenThreshold },
            signal,
          ),
        ),
      { readOnly: true },
    )
    return { json: report, text: () => storageText(report) }
  },
})

function storageText(report: StorageReport): string {
  return [
    `${report.path}`,
    `${bytes(report.bytes)} in ${plural(report.pages, 'page')}, ${bytes(report.freePages * report.pageBytes)} of them free; log ${bytes(report.walBytes)}`,
    '',
    table(
      ['object', 'kind', 'bytes', 'unused', 'rows'],
      report.objects.map((object) => [
        object.name,
        object.kind.replace('_', ' '),
        bytes(object.bytes),
        bytes(object.unusedBytes),
        object.rows === null ? '' : object.rows,
      ]),
    ),
    ...report.unreadable.map((name) => `cannot be measured, its pages are damaged: ${name}`),
    '',
    ...report.repeated.map((one) => `twice: ${one.title}, ${bytes(one.bytes)} in ${plural(one.rows, 'row')}`),
    ...report.advice.map((one) => `advice: ${one.title}, about ${bytes(one.gainBytes)} to gain\n    ${one.detail}`),
  ].join('\n')
}

import { measureStorage } from '#core/browse/storage/measure-storage.ts'
import { StorageReport } from '#core/contract/storage.ts'
import { plural, sizeText } from '#core/text.ts'
import { defineQuestion } from '../command.ts'
import { table } from '../output/text.ts'

export const storage = defineQuestion({
  name: 'storage',
  example: 'storage --db sample.db',
  prints: StorageReport,
  work: ({ read: db, info, settings: { largeFileTokenThreshold: largeFileTokens } }, _input, signal) =>
    measureStorage({ db, info, largeFileTokens }, signal),
  text: storageText,
})

function storageText(report: StorageReport): string {
  return [
    `${report.path}`,
    `${sizeText(report.bytes)} in ${plural(report.pages, 'page')}, ${sizeText(report.freePages * report.pageBytes)} of them free; log ${sizeText(report.walBytes)}`,
    '',
    table(
      ['object', 'kind', 'bytes', 'unused', 'rows'],
      report.objects.map((object) => [
        object.name,
        object.kind.replace('_', ' '),
        sizeText(object.bytes),
        sizeText(object.unusedBytes),
        object.rows === null ? '' : object.rows,
      ]),
    ),
    ...report.unreadable.map((name) => `cannot be measured, its pages are damaged: ${name}`),
    '',
    ...report.repeated.map((one) => `twice: ${one.title}, ${sizeText(one.bytes)} in ${plural(one.rows, 'row')}`),
    ...report.advice.map((one) => `advice: ${one.title}, about ${sizeText(one.gainBytes)} to gain\n    ${one.detail}`),
  ].join('\n')
}

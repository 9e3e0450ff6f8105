import { measureStorage } from '../../browse/storage/measure-storage.ts'
import type { StorageReport } from '../../contract/storage.ts'
import type { Define, Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { type MemoryOptions, withMemory } from './session.ts'
import { bytes, count, table } from './text.ts'

export function addStorageCommand(define: Define, run: Run): void {
  run(
    define('storage', 'where the bytes of the file are, and what would make it smaller'),
    async (options: MemoryOptions): Promise<Answer> => {
      const report = await withMemory(
        options,
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
  )
}

function storageText(report: StorageReport): string {
  return [
    `${report.path}`,
    `${bytes(report.bytes)} in ${count(report.pages)} pages, ${bytes(report.freePages * report.pageBytes)} of them free; log ${bytes(report.walBytes)}`,
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
    ...report.repeated.map((one) => `twice: ${one.title}, ${bytes(one.bytes)} in ${count(one.rows)} rows`),
    ...report.advice.map((one) => `advice: ${one.title}, about ${bytes(one.gainBytes)} to gain\n    ${one.detail}`),
  ].join('\n')
}

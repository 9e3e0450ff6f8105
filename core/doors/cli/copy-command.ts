import { resolve } from 'node:path'
import type { MovedTexts } from '../../contract/working-copy.ts'
import type { Define, Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { withMemory } from './session.ts'
import { bytes, count } from './text.ts'

/** Adds the command copy: another system's memory as a native one that can be written. */
export function addCopyCommand(define: Define, run: Run): void {
  run(
    define('copy', 'a working copy: the same memory as a native file that may be compacted')
      .requiredOption('--from <file>', 'the memory to copy; it is not changed')
      .requiredOption('--to <file>', 'where the copy goes; nothing may be there')
      .option('--large-files', 'move large texts of messages that no summary stands for into files, as an import does'),
    async (options: { from: string; to: string; newer?: boolean; largeFiles?: boolean }): Promise<Answer> =>
      withMemory(
        { db: options.from, newer: options.newer },
        async (lcm): Promise<Answer> => {
          const { copyMemory } = await import('../../doctor/working-copy/copy-memory.ts')
          const to = resolve(options.to)
          const largeTexts = options.largeFiles ? lcm.largeTextsOf(to) : null
          const report = await interruptible((signal) => copyMemory({ from: lcm, to, largeTexts }, signal))
          const text = (): string =>
            [
              `${to}: ${count(report.messages)} messages, ${count(report.summaries)} summaries, ${count(report.edges)} links and ${count(report.contextItems)} window items, compared with ${lcm.info.path} (${bytes(lcm.info.bytes)}) row by row; ${count(report.searches.length)} searches gave the same hits.`,
              ...report.adjusted.map(
                ({ what, rows, examples }) =>
                  `${what} (${count(rows)} rows: ${examples.join(', ')}${rows > examples.length ? ', …' : ''})`,
              ),
              ...(report.largeTexts ? [movedLine(report.largeTexts)] : []),
            ].join('\n')
          return { json: report, text }
        },
        { readOnly: true },
      ),
  )
}

const movedLine = ({ messages, files, bytes: moved }: MovedTexts): string =>
  files === 0
    ? 'No text is large enough for a file of its own (LCM_LARGE_FILE_TOKEN_THRESHOLD).'
    : `${count(files)} large texts (${bytes(moved)}) of ${count(messages)} messages stand in files now; each was read back and compared.`

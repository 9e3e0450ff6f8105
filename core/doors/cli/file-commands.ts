import { readStoredFile } from '../../browse/export/stored-file.ts'
import { LcmError } from '../../errors.ts'
import { conversationOption, type Define, type Run } from './command.ts'
import type { Answer } from './output.ts'
import { collect, integer } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { bytes, oneLine, table } from './text.ts'

const MAX_BYTES = 1 << 20
const LARGEST_BYTES = 1 << 28

/** Adds the commands files and file: contents that were taken out of messages because of their size. */
export function addFileCommands(define: Define, run: Run): void {
  run(
    define('files', 'large files that messages refer to').addOption(conversationOption()),
    async (options: MemoryOptions & { conversation?: number }): Promise<Answer> => {
      const files = await withMemory(
        options,
        (lcm) => {
          const asked = options.conversation === undefined ? undefined : chooseConversation(lcm, options.conversation)
          const ids = asked === undefined ? lcm.stats.conversations().map((row) => row.conversationId) : [asked]
          return ids.flatMap((id) => lcm.retrieval.files(id))
        },
        { readOnly: true },
      )
      const text = (): string =>
        files.length === 0
          ? 'No large files.'
          : table(
              ['id', 'conversation', 'size', 'type', 'name'],
              files.map((file) => [
                file.id,
                String(file.conversationId),
                file.bytes === null ? '' : bytes(file.bytes),
                file.mimeType,
                oneLine(file.fileName ?? '', 60),
              ]),
            )
      return { json: { files }, text }
    },
  )

  run(
    define('file', 'a large file: its content and what was made out of it')
      .argument('<id>')
      .option(
        '--allow <folder>',
        'read the stored path, too, when it lies in this folder; may be repeated',
        collect(String),
      )
      .option('--max-bytes <n>', 'content to print at most', integer(1, LARGEST_BYTES)),
    async (id: string, options: MemoryOptions & { allow?: string[]; maxBytes?: number }): Promise<Answer> => {
      const found = await withMemory(
        options,
        (lcm) => {
          const { file } = lcm.retrieval.describe(id, 0)
          if (!file) throw new LcmError('not_found', `${id} is no large file: "lcm files" lists them.`, { id })
          const allowed = [...(options.allow ?? []), ...(lcm.settings.filesDir ? [lcm.settings.filesDir] : [])]
          const maxBytes = options.maxBytes ?? MAX_BYTES
          const { bytes, ...content } = readStoredFile({ database: lcm.info.path, file, allowed, maxBytes })
          return { ...file, ...content, bytesOnDisk: bytes }
        },
        { readOnly: true },
      )
      const text = (): string =>
        [
          `${found.id} · ${oneLine(found.fileName ?? '')} · ${found.bytes === null ? 'size unknown' : bytes(found.bytes)}`,
          ...(found.explorationSummary === null ? [] : ['', found.explorationSummary]),
          '',
          found.content ?? found.reason ?? '',
          ...(found.isCut ? [`cut after ${bytes(options.maxBytes ?? MAX_BYTES)}; --max-bytes gives more`] : []),
        ].join('\n')
      return { json: found, text }
    },
  )
}

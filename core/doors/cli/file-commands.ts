import { conversationOption, type Define, type Run } from './command.ts'
import { type FileOptions, fileAnswer, withFileOptions } from './file-answer.ts'
import type { Answer } from './output.ts'
import { integer } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { bytes, oneLine, table } from './text.ts'

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

  const file = define('file', 'a large file: its content and what was made out of it')
    .argument('<id>')
    .option('--max-bytes <n>', 'content to print at most', integer(1, LARGEST_BYTES))
  run(withFileOptions(file), async (id: string, options: MemoryOptions & FileOptions) => fileAnswer(id, options))
}

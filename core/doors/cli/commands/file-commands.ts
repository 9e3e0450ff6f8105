import { z } from 'zod'
import { FileInfo } from '#core/contract/lineage.ts'
import { sizeText } from '#core/text.ts'
import { defineCommand, defineQuestion, narrowed, outputFile } from '../command.ts'
import { fileAnswer, fileCopy, filePart } from '../output/file-answer.ts'
import { force } from '../output/output-file.ts'
import { oneLine, table } from '../output/text.ts'
import { chooseConversation } from '../session.ts'

const LARGEST_BYTES = 1 << 28
/** Options that choose a part. A file is always written whole. */
const PARTS = ['page', 'lines', 'find', 'maxBytes'] as const

/** Contents that were taken out of messages because of their size. */
export const files = defineQuestion({
  name: 'files',
  example: 'files --db sample.db',
  fields: z.object(narrowed),
  prints: z.object({ files: z.array(FileInfo) }),
  ask: (lcm, { conversationId }) => {
    const asked = conversationId === undefined ? undefined : chooseConversation(lcm, conversationId)
    const ids = asked === undefined ? lcm.stats.conversations().map((row) => row.conversationId) : [asked]
    return { files: ids.flatMap((id) => lcm.retrieval.files(id)) }
  },
  text: ({ files }) =>
    files.length === 0
      ? 'No large files.'
      : table(
          ['id', 'conversation', 'size', 'type', 'name'],
          files.map((file) => [
            file.id,
            String(file.conversationId),
            file.bytes === null ? '' : sizeText(file.bytes),
            file.mimeType,
            oneLine(file.fileName ?? '', 60),
          ]),
        ),
})

export const file = defineCommand({
  name: 'file',
  example: 'file file_1 --db sample.db --lines 20-40',
  memory: 'reads',
  fields: filePart.extend({
    maxBytes: z.int().min(1).max(LARGEST_BYTES).optional().describe('content to print at most'),
    output: outputFile.describe('write the content there, byte by byte; - is standard output'),
    force,
  }),
  positional: ['id'],
  exclusive: PARTS.map((part) => ['output', part] as const),
  prints: FileInfo,
  run: ({ output, force: isForced, ...asked }, given) =>
    output === undefined
      ? fileAnswer(asked, given)
      : fileCopy({ ...asked, output, isForced: isForced ?? false }, given),
})

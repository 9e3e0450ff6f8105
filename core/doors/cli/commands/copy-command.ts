import { z } from 'zod'
import { ConversationId } from '#core/contract/ids.ts'
import { SendReport, TenantReport } from '#core/contract/remote.ts'
import { CopyReport, type MovedTexts } from '#core/contract/working-copy.ts'
import { isDatabaseAddress } from '#core/database-address.ts'
import { keepHeapSmall } from '#core/doors/heap.ts'
import { LcmError } from '#core/errors.ts'
import { plural, sizeText } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import type { Answer } from '../output/output.ts'
import { memoryPath } from '../output/output-file.ts'
import { count } from '../output/text.ts'
import { tenantField } from '../postgres-session.ts'
import { withMemory } from '../session.ts'

/** Another system's memory as a native one that can be written, or a memory into PostgreSQL and back. */
export const copy = defineCommand({
  name: 'copy',
  example: 'copy --from ~/.openclaw/lcm.db --to copy.db',
  fields: z.object({
    from: z.string().meta({
      description: 'the memory to copy: a file, or an address postgres://user@host/database; it is not changed',
      value: 'file',
    }),
    to: z.string().meta({
      description: 'where the copy goes: a file, where nothing may be, or an address postgres://user@host/database',
      value: 'file',
    }),
    tenant: tenantField,
    conversationId: ConversationId.optional().describe(
      'out of a database: only this conversation (default: all of the tenant)',
    ),
    largeFiles: z
      .boolean()
      .optional()
      .describe('move large texts of messages that no summary stands for into files, as an import does'),
  }),
  prints: z.union([CopyReport, SendReport, TenantReport]),
  run: async (input, { newer }) => {
    if (isDatabaseAddress(input.from)) {
      const { copyOutOfTenant } = await import('./postgres-commands.ts')
      return copyOutOfTenant(input)
    }
    if (input.conversationId !== undefined) {
      throw new LcmError('invalid_argument', 'A file is copied whole: leave --conversation out.')
    }
    if (isDatabaseAddress(input.to)) {
      const { copyIntoTenant } = await import('./postgres-commands.ts')
      return copyIntoTenant({ db: input.from, newer }, input.to, input.tenant)
    }
    keepHeapSmall()
    return withMemory(
      { db: input.from, newer },
      async (lcm): Promise<Answer> => {
        const { copyMemory } = await import('#core/doctor/working-copy/copy-memory.ts')
        const to = memoryPath(input.to)
        const largeTexts = input.largeFiles ? lcm.largeTextsOf(to) : null
        const report = await interruptible((signal) => copyMemory({ from: lcm, to, largeTexts }, signal))
        const text = (): string =>
          [
            `${to}: ${plural(report.messages, 'message')}, ${plural(report.summaries, 'summary', 'summaries')}, ${plural(report.edges, 'link')} and ${count(report.contextItems)} window items, compared with ${lcm.info.path} (${sizeText(lcm.info.bytes)}) row by row; ${plural(report.searches.length, 'search', 'searches')} gave the same hits.`,
            ...report.adjusted.map(
              ({ what, rows, examples }) =>
                `${what} (${plural(rows, 'row')}: ${examples.join(', ')}${rows > examples.length ? ', …' : ''})`,
            ),
            ...(report.largeTexts ? [movedLine(report.largeTexts)] : []),
          ].join('\n')
        return { json: report, text }
      },
      { readOnly: true },
    )
  },
})

const movedLine = ({ messages, files, bytes: moved }: MovedTexts): string =>
  files === 0
    ? 'No text is large enough for a file of its own (LCM_LARGE_FILE_TOKEN_THRESHOLD).'
    : `${count(files)} large texts (${sizeText(moved)}) of ${plural(messages, 'message')} stand in files now; each was read back and compared.`

import { statSync } from 'node:fs'
import { z } from 'zod'
import { toDot, toMermaid } from '#core/browse/export/to-graph.ts'
import { toHtml } from '#core/browse/export/to-html.ts'
import { toJson } from '#core/browse/export/to-json.ts'
import { toMarkdown } from '#core/browse/export/to-markdown.ts'
import { writePieces } from '#core/browse/export/write-pieces.ts'
import type { Note } from '#core/contract/notes.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { requireLedgers } from '#core/ledgers.ts'
import { asHash, asItIs, type Sanitizer, withoutSecrets } from '#core/sanitize.ts'
import { sizeText } from '#core/text.ts'
import { defineCommand, narrowed, outputFile } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { toCliJson } from '../output/cli-json.ts'
import type { Answer } from '../output/output.ts'
import { force, onStandardOutput, outputPath, type WriteOpen, writeOpenOutput } from '../output/output-file.ts'
import { chooseConversation, withMemory } from '../session.ts'

const fields = z.object({
  ...narrowed,
  format: z.enum(['markdown', 'json', 'html', 'mermaid', 'dot', 'ledger']).describe('the form of the document'),
  sanitize: z.boolean().optional().describe('replace keys, tokens, e-mail addresses and paths'),
  notes: z.boolean().optional().describe('with what you pinned and noted, in HTML'),
  hashTexts: z.boolean().optional().describe('replace every text by its length and hash'),
  output: outputFile,
  force,
})
type Options = z.output<typeof fields>
type Format = Options['format']

/** A memory, or a conversation of it, to read, to draw, or to attach to a bug report. */
export const exportCommand = defineCommand({
  name: 'export',
  example: 'export --db sample.db --format markdown --sanitize -o sample.md',
  memory: 'reads',
  fields,
  run: (input, given) => withMemory(given, (lcm) => exportMemory(lcm, input), { readOnly: true }),
})

async function exportMemory(lcm: Lcm, options: Options): Promise<Answer> {
  const { format } = options
  const clean = options.hashTexts ? asHash : options.sanitize ? withoutSecrets : asItIs
  if (options.notes === true && format !== 'html')
    throw new LcmError(
      'invalid_argument',
      'Only an HTML page shows pins and notes: leave --notes out, or choose --format html.',
    )
  const notes = options.notes === true ? lcm.notes.list() : []
  const to = outputPath(options.output)
  const ids =
    options.conversationId === undefined
      ? lcm.stats.conversations().map((row) => row.conversationId)
      : [chooseConversation(lcm, options.conversationId)]
  if (format === 'ledger' && options.conversationId !== undefined) {
    throw new LcmError('invalid_argument', 'A ledger holds the whole memory: leave --conversation out.')
  }
  const write =
    format === 'ledger' ? writeSanitized(lcm, clean) : writeDocument(await piecesOf(lcm, format, ids, clean, notes))
  if (to === null) return onStandardOutput(format, write)
  await writeOpenOutput({ path: to, source: lcm.info.path, isForced: options.force ?? false }, write)
  const size = statSync(to).size
  const json = { path: to, format, bytes: size, conversations: ids.length, sanitized: clean !== asItIs }
  return { json, text: () => `${to}: ${sizeText(size)}, ${ids.length} conversations as ${format}` }
}

async function piecesOf(
  lcm: Lcm,
  format: Exclude<Format, 'ledger'>,
  ids: readonly number[],
  clean: Sanitizer,
  notes: readonly Note[],
): Promise<Iterable<string>> {
  const { exported } = await import('#core/browse/export/exported.ts')
  const conversations = {
    *[Symbol.iterator]() {
      for (const id of ids) yield exported(lcm, id, clean, notes)
    },
  }
  switch (format) {
    case 'markdown':
      return toMarkdown({ ...lcm.info, fileName: clean(lcm.info.fileName) }, conversations)
    case 'html':
      return toHtml({ ...lcm.info, fileName: clean(lcm.info.fileName) }, conversations, clean !== asItIs)
    case 'json':
      return toJson(lcm.info, conversations, { isSanitized: clean !== asItIs, asJson: toCliJson })
    case 'mermaid':
      return toMermaid(conversations)
    case 'dot':
      return toDot(conversations)
  }
}

const writeDocument =
  (pieces: Iterable<string>): WriteOpen =>
  async (file) => {
    await interruptible((signal) => writePieces(file, pieces, signal))
  }

const writeSanitized =
  ({ read: db, info, clock }: Lcm, clean: Sanitizer): WriteOpen =>
  async (file) => {
    const sanitize = clean === asItIs ? undefined : clean
    await interruptible((signal) => requireLedgers().write(file, { db, info, clock }, signal, sanitize))
  }

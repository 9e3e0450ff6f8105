import { randomBytes } from 'node:crypto'
import { closeSync, createReadStream, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { toDot, toMermaid } from '../../browse/export/to-graph.ts'
import { toHtml } from '../../browse/export/to-html.ts'
import { toJson } from '../../browse/export/to-json.ts'
import { toMarkdown } from '../../browse/export/to-markdown.ts'
import { writePieces } from '../../browse/export/write-pieces.ts'
import type { Note } from '../../contract/notes.ts'
import { LcmError } from '../../errors.ts'
import { sanitizeLedger } from '../../ingest/sanitize-ledger.ts'
import type { Lcm } from '../../lcm.ts'
import { asHash, asItIs, type Sanitizer, withoutSecrets } from '../../sanitize.ts'
import { fileError } from '../../sqlite/memory-file.ts'
import { toCliJson } from './cli-json.ts'
import { defineCommand, narrowed, outputFile } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { force, outputPath, writeOutput } from './output-file.ts'
import { chooseConversation, withMemory } from './session.ts'
import { bytes } from './text.ts'

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
  if (to === null) {
    if (format === 'ledger') throw new LcmError('invalid_argument', 'A ledger goes into a file: -o FILE.')
    return onStandardOutput(format, await piecesOf(lcm, format, ids, clean, notes))
  }
  await writeOutput({ path: to, source: lcm.info.path, isForced: options.force ?? false }, async (partial) => {
    if (format === 'ledger') await writeLedger(lcm, partial, clean)
    else await writeDocument(partial, await piecesOf(lcm, format, ids, clean, notes))
  })
  const size = statSync(to).size
  const json = { path: to, format, bytes: size, conversations: ids.length, sanitized: clean !== asItIs }
  return { json, text: () => `${to}: ${bytes(size)}, ${ids.length} conversations as ${format}` }
}

async function piecesOf(
  lcm: Lcm,
  format: Exclude<Format, 'ledger'>,
  ids: readonly number[],
  clean: Sanitizer,
  notes: readonly Note[],
): Promise<Iterable<string>> {
  const { exported } = await import('../../browse/export/exported.ts')
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

/**
 * Writes the document to a temporary file first, so that nothing of it is printed when it cannot be read to its end.
 * With --json it is printed itself when it is JSON, and otherwise as a text in a JSON object.
 */
async function onStandardOutput(format: Format, pieces: Iterable<string>): Promise<Answer> {
  const file = openUnnamed()
  try {
    await interruptible((signal) => writePieces(file, pieces, signal))
  } catch (error) {
    closeSync(file)
    throw error instanceof LcmError ? error : fileError(error, tmpdir())
  }
  return {
    async *pieces(asJson) {
      const isText = asJson && format !== 'json'
      if (isText) yield `{"format": "${format}", "document": "`
      for await (const piece of createReadStream('', { fd: file, start: 0, encoding: 'utf8' })) {
        yield isText ? JSON.stringify(piece).slice(1, -1) : piece
      }
      if (isText) yield '"}\n'
    },
  }
}

/** Opens a file that disappears with the process, however that ends, because it has the content of a memory. */
function openUnnamed(): number {
  const path = join(tmpdir(), `lcm-export-${randomBytes(8).toString('hex')}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    rmSync(path)
    return file
  } catch {
    throw new LcmError(
      'unsupported',
      `The folder for temporary files, ${tmpdir()}, cannot be written: set TMPDIR to another one, or give a file with -o.`,
    )
  }
}

async function writeDocument(path: string, pieces: Iterable<string>): Promise<void> {
  const file = openSync(path, 'wx')
  try {
    await interruptible((signal) => writePieces(file, pieces, signal))
  } finally {
    closeSync(file)
  }
}

async function writeLedger(lcm: Lcm, path: string, clean: Sanitizer): Promise<void> {
  const { exportLedger } = await import('../../ingest/ledger/export-ledger.ts')
  const job = { db: lcm.read, info: lcm.info, clock: lcm.clock }
  if (clean === asItIs) {
    await interruptible((signal) => exportLedger({ ...job, to: path }, signal))
    return
  }
  const { partialPath, errorAboutTarget } = await import('../../sqlite/new-file.ts')
  const raw = partialPath(path)
  try {
    await interruptible((signal) => exportLedger({ ...job, to: raw }, signal))
    await sanitizeLedger(raw, path, clean)
  } catch (error) {
    throw errorAboutTarget(path, raw, error)
  } finally {
    rmSync(raw, { force: true })
  }
}

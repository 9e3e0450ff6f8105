import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { LcmError } from '../errors.ts'
import { exported } from '../export/exported.ts'
import { asHash, asItIs, type Sanitizer, withoutSecrets } from '../export/sanitize.ts'
import { sanitizeLedger } from '../export/sanitize-ledger.ts'
import { toDot, toMermaid } from '../export/to-graph.ts'
import { toJson } from '../export/to-json.ts'
import { toMarkdown } from '../export/to-markdown.ts'
import type { Lcm } from '../lcm.ts'
import { exportLedger } from '../ledger/export-ledger.ts'
import { toCliJson } from './cli-json.ts'
import { conversationOption, type Define, type Run } from './command.ts'
import { interruptible } from './interruptible.ts'
import type { Answer } from './output.ts'
import { oneOf } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { bytes } from './text.ts'

const FORMATS = ['markdown', 'json', 'mermaid', 'dot', 'ledger'] as const
type Format = (typeof FORMATS)[number]

type Options = MemoryOptions & {
  readonly conversation?: number
  readonly format: Format
  readonly sanitize?: boolean
  readonly hashTexts?: boolean
  readonly output?: string
  readonly force?: boolean
}

/** export: a memory, or a conversation of it, to read, to draw, or to attach to a bug report. */
export function addExportCommand(define: Define, run: Run): void {
  run(
    define('export', 'a memory as a document, a graph or a ledger; on standard output without -o')
      .addOption(conversationOption())
      .requiredOption('--format <format>', FORMATS.join(', '), oneOf(...FORMATS))
      .option('--sanitize', 'replace keys, tokens, e-mail addresses and paths')
      .option('--hash-texts', 'replace every text by its length and hash')
      .option('-o, --output <file>', 'where it goes; nothing may be there')
      .option('--force', 'replace the file that is there'),
    (options: Options): Promise<Answer> => withMemory(options, (lcm) => exportMemory(lcm, options), { readOnly: true }),
  )
}

async function exportMemory(lcm: Lcm, options: Options): Promise<Answer> {
  const { format } = options
  const clean = options.hashTexts ? asHash : options.sanitize ? withoutSecrets : asItIs
  const to = options.output === undefined || options.output === '-' ? null : resolve(options.output)
  const ids =
    options.conversation === undefined
      ? lcm.stats.conversations().map((row) => row.conversationId)
      : [chooseConversation(lcm, options.conversation)]
  if (to !== null) refuseToReplace(lcm, to, options.force ?? false)
  if (format === 'ledger') {
    if (to === null) throw new LcmError('invalid_argument', 'A ledger goes into a file: -o FILE.')
    if (options.conversation !== undefined) {
      throw new LcmError('invalid_argument', 'A ledger holds the whole memory: leave --conversation out.')
    }
    await ledgerTo(lcm, to, clean)
  } else {
    const pieces = piecesOf(lcm, format, ids, clean)
    if (to === null) return onStandardOutput(format, pieces)
    writeWhole(to, pieces)
  }
  const size = statSync(to ?? '').size
  const json = { path: to, format, bytes: size, conversations: ids.length, sanitized: clean !== asItIs }
  return { json, text: () => `${to}: ${bytes(size)}, ${ids.length} conversations as ${format}` }
}

function piecesOf(
  lcm: Lcm,
  format: Exclude<Format, 'ledger'>,
  ids: readonly number[],
  clean: Sanitizer,
): Iterable<string> {
  const conversations = {
    *[Symbol.iterator]() {
      for (const id of ids) yield exported(lcm, id, clean)
    },
  }
  switch (format) {
    case 'markdown':
      return toMarkdown(lcm.info, conversations)
    case 'json':
      return toJson(lcm.info, conversations, { isSanitized: clean !== asItIs, asJson: toCliJson })
    case 'mermaid':
      return toMermaid(conversations)
    case 'dot':
      return toDot(conversations)
  }
}

/** For programs the document is itself what they ask for, or a text in one. */
function onStandardOutput(format: Format, pieces: Iterable<string>): Answer {
  const document = [...pieces].join('')
  const json: unknown = format === 'json' ? JSON.parse(document) : { format, document }
  return { json, text: () => document.trimEnd() }
}

function refuseToReplace(lcm: Lcm, to: string, isForced: boolean): void {
  const there = statSync(to, { throwIfNoEntry: false })
  if (!there || there.size === 0) return
  if (to === lcm.info.path || !there.isFile() || !isForced) {
    throw new LcmError('invalid_argument', `${to} exists already: choose a path where nothing is, or give --force.`, {
      path: to,
    })
  }
}

/** The file appears when it is whole. */
function writeWhole(to: string, pieces: Iterable<string>): void {
  const partial = `${to}.partial`
  const file = openSync(partial, 'w')
  try {
    for (const piece of pieces) writeSync(file, piece)
    fsyncSync(file)
    renameSync(partial, to)
  } finally {
    closeSync(file)
    rmSync(partial, { force: true })
  }
}

async function ledgerTo(lcm: Lcm, to: string, clean: Sanitizer): Promise<void> {
  rmSync(to, { force: true })
  const raw = clean === asItIs ? to : `${to}.raw`
  const job = { db: lcm.read, info: lcm.info, to: raw, clock: lcm.clock }
  try {
    await interruptible((signal) => exportLedger(job, signal))
    if (raw === to) return
    await sanitizeLedger(raw, `${to}.partial`, clean)
    renameSync(`${to}.partial`, to)
  } finally {
    if (raw !== to) for (const path of [raw, `${to}.partial`]) rmSync(path, { force: true })
  }
}

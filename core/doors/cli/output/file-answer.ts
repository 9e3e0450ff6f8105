import { fsyncSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { type FileState, FileView, type FileViewRequest } from '#core/contract/file.ts'
import { NodeId } from '#core/contract/ids.ts'
import { LcmError } from '#core/errors.ts'
import { filePieces } from '#core/files/stored-path.ts'
import type { Lcm } from '#core/lcm.ts'
import { sizeText } from '#core/text.ts'
import { interruptible } from '../interruptible.ts'
import { type MemoryOptions, withMemory } from '../session.ts'
import type { Answer } from './output.ts'
import { outputPath, writeOpenOutput } from './output-file.ts'
import { count, oneLine } from './text.ts'

const MAX_BYTES = 1 << 20

const LineRange = z.string().transform((text, context): readonly [number, number] => {
  const [, first, last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? []
  const range: [number, number] = [Number(first ?? 0), Number(last ?? 0)]
  if (range[0] >= 1 && range[1] >= range[0]) return range
  context.addIssue('Expected two line numbers such as 20-40, or one.')
  return z.NEVER
})

/** The fields that choose a part of a large file. */
export const filePart = z.object({
  id: NodeId,
  page: z.int().min(1).optional().describe('of a file: this page of 64 KiB'),
  lines: LineRange.optional().meta({
    description: 'of a file: these lines, such as 20-40 or 7',
    value: 'first-last',
  }),
  find: z.string().optional().describe('of a file: lines that contain a text'),
  regex: z.boolean().optional().describe('take --find for a regular expression (RE2)'),
  caseSensitive: z.boolean().optional().describe('with --find: upper and lower case differ'),
  fromRow: z.int().min(0).optional().describe('with --find: go on where an earlier answer ended'),
  allow: z.array(z.string()).optional().meta({
    description: 'read the stored path, too, when it lies in this folder',
    value: 'folder',
  }),
})
export type FileOptions = Omit<z.output<typeof filePart>, 'id'> & { readonly maxBytes?: number }

/** Answers with the part of a large file that was asked for, or with the facts of the file and its beginning. */
export async function fileAnswer(
  { id, ...options }: FileOptions & { readonly id: string },
  given: MemoryOptions,
): Promise<Answer> {
  const found = await withMemory(
    given,
    async (lcm) => {
      const { file } = lcm.retrieval.describe(id, 0)
      if (!file) throw new LcmError('not_found', `${id} is no large file: "lcm files" lists them.`, { id })
      const content = await interruptible((signal) => contentOf(lcm, id, options, signal))
      return { ...file, ...content }
    },
    { readOnly: true },
  )
  const text = (): string =>
    [
      `${found.id} · ${oneLine(found.fileName ?? '')} · ${found.bytes === null ? 'size unknown' : sizeText(found.bytes)}`,
      ...(found.byModel === undefined || isPart(options)
        ? []
        : ['', `${oneLine(found.byModel.model, 60)} says:`, found.byModel.text]),
      ...(found.explorationSummary === null || isPart(options) ? [] : ['', found.explorationSummary]),
      ...(found.reason === null ? [] : ['', found.reason]),
      '',
      ...found.hits.map((hit) => `${count(hit.line)}: ${oneLine(hit.excerpt, 400)}`),
      ...(options.find !== undefined && found.hits.length === 0 ? ['Nothing found.'] : []),
      found.content ?? '',
      ...(found.isCut && !isPart(options)
        ? [`cut after ${sizeText(options.maxBytes ?? MAX_BYTES)}; --max-bytes gives more, --page and --lines any part`]
        : []),
      ...(isPart(options) && found.next !== null ? [`goes on with ${nextOption(options, found.next)}`] : []),
    ].join('\n')
  return { json: found, text }
}

type CopyOptions = { readonly id: string; readonly output: string; readonly isForced: boolean } & Pick<
  FileOptions,
  'allow'
>

/** Writes the bytes of a large file to another, or to standard output. */
export async function fileCopy({ id, output, isForced, allow }: CopyOptions, given: MemoryOptions): Promise<Answer> {
  const check = async (lcm: Lcm): Promise<FileState & { readonly source: string }> => {
    const state = await interruptible((signal) => lcm.fileReader.check(id, signal, allow))
    return { ...state, source: lcm.info.path }
  }
  const state = await withMemory(given, check, { readOnly: true })
  const { path } = state
  if (path === null) throw new LcmError('not_found', `The content of ${id} is not here. ${state.reason ?? ''}`, { id })
  const to = outputPath(output)
  if (to === null) return { pieces: () => Readable.from(filePieces(path)) }
  const target = { path: to, source: state.source, isForced }
  await writeOpenOutput(target, async (file) => {
    for (const piece of filePieces(path)) writeFileSync(file, piece)
    fsyncSync(file)
  })
  const json = { id, path: target.path, bytes: state.bytes, condition: state.condition }
  return {
    json,
    text: () => `${target.path}: ${sizeText(state.bytes ?? 0)}${state.reason === null ? '' : `. ${state.reason}`}`,
  }
}

/** A part of a file is asked for. */
export const isPart = ({ page, lines, find }: FileOptions): boolean =>
  page !== undefined || lines !== undefined || find !== undefined

function nextOption({ page, lines }: FileOptions, next: number): string {
  if (page !== undefined) return `--page ${next}`
  return lines === undefined ? `--from-row ${next}` : `--lines ${next}-${Math.max(next, lines[1])}`
}

function viewOf({ page, lines, find, regex, caseSensitive, fromRow }: FileOptions): FileViewRequest | null {
  if (find !== undefined) {
    const matchCase = caseSensitive ?? false
    return { kind: 'search', query: find, isRegex: regex ?? false, matchCase, fromRow: fromRow ?? 0 }
  }
  if (lines !== undefined) return { kind: 'lines', first: lines[0], last: lines[1] }
  return page === undefined ? null : { kind: 'page', page }
}

/** Reads the part that was asked for, or the beginning of the file. */
async function contentOf({ fileReader }: Lcm, id: string, options: FileOptions, signal: AbortSignal) {
  const { allow, maxBytes = MAX_BYTES } = options
  const view = viewOf(options)
  if (view) {
    const { state, text, hits, next } = await fileReader.read(id, FileView.parse(view), signal, allow)
    const content = view.kind === 'search' || state.path === null ? null : text
    return { ...stateOf(state), content, hits, next, isCut: next !== null }
  }
  const state = await fileReader.check(id, signal, allow)
  let content = ''
  let room = maxBytes
  let isCut = false
  for (let page: number | null = state.pages === null || state.condition === 'not_text' ? null : 1; page !== null; ) {
    const read = await fileReader.read(id, { kind: 'page', page }, signal, allow)
    content += bytesOf(read.text, room)
    room -= Buffer.byteLength(read.text)
    isCut = room < 0 || (room === 0 && read.next !== null)
    page = isCut ? null : read.next
  }
  return { ...stateOf(state), content: state.pages === null ? null : content, hits: [], next: null, isCut }
}

const stateOf = ({ path, condition, reason, bytes, lines, pages }: FileState) => ({
  path,
  condition,
  reason,
  bytesOnDisk: bytes,
  lines,
  pages,
})

/** The beginning of a text, at most the given number of bytes in UTF-8, and no half of a character. */
function bytesOf(text: string, most: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= most
    ? text
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, most), { stream: true })
}

import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { MendedTranscript } from '#core/contract/mend.ts'
import { isMissingFile, LcmError } from '#core/errors.ts'
import { parsedJson } from '#core/parsed-json.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { errorAboutTarget, giveName, partialPath, takenError } from '#core/sqlite/new-file.ts'
import { type BrokenChainRecord, NOTHING_STORED, type TranscriptFormat } from './format.ts'
import { isObject, type JsonObject } from './json-value.ts'
import { openTranscript, whyNotOpened } from './open-transcript.ts'

type Break = BrokenChainRecord['breaks'][number]

/**
 * Writes a copy of a transcript in which each record at which a resume would stop hangs on the record before it in its
 * conversation. Every other byte is that of the original, which stays as it is.
 * @param to where nothing may be
 * @throws LcmError invalid_argument, file_missing, file_not_readable, transcript_unreadable, unsupported, disk_full
 */
export async function mendTranscript(path: string, to: string): Promise<MendedTranscript> {
  const { breaks, format } = await breaksIn(path)
  if (!format.chain) {
    const reason = `${format.label} does not follow parents when it resumes a session, or keeps its sessions in a database`
    throw new LcmError('unsupported', `${path} cannot be mended: ${reason}.`, { path })
  }
  if (breaks.length === 0) {
    throw new LcmError(
      'invalid_argument',
      `${path} is whole: a resume loads all of it, so there is no copy to write.`,
      {
        path,
      },
    )
  }
  await writeMended(path, to, new Mender(path, breaks, format.chain))
  return { path, to, lines: breaks.map(({ line, lineBefore }) => ({ line, hangsOn: lineBefore })) }
}

async function breaksIn(path: string): Promise<{ breaks: readonly Break[]; format: TranscriptFormat }> {
  try {
    const bytes = statSync(path).size
    const opened = await openTranscript({ file: path, bytes }, 'auto')
    if (!opened) throw new LcmError('transcript_unreadable', `${path} is ${whyNotOpened(path)}.`, { path })
    const { format, head, close } = opened
    try {
      const source = { path, bytes, head, nowMs: 0, limitBytes: Number.POSITIVE_INFINITY, ...NOTHING_STORED }
      const breaks: Break[] = []
      for await (const { records } of format.read(source)) {
        for (const record of records) if (record.kind === 'broken_chain') breaks.push(...record.breaks)
      }
      return { breaks: breaks.sort((a, b) => a.line - b.line), format }
    } finally {
      close()
    }
  } catch (cause) {
    if (cause instanceof LcmError) throw cause
    if (isMissingFile(cause)) {
      throw new LcmError('file_missing', `There is nothing at ${path}: check the path.`, { path }, { cause })
    }
    throw fileError(cause, path)
  }
}

async function writeMended(path: string, to: string, mender: Mender): Promise<void> {
  if (existsSync(to)) throw takenError(to)
  const partial = partialPath(to)
  try {
    const file = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(createReadStream(path), (input) => mendedBytes(input, mender), file)
    giveName(partial, to)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw errorAboutTarget(to, partial, cause)
  }
}

const LINE_FEED = 0x0a

/** Holds only the lines that are looked at. */
async function* mendedBytes(input: AsyncIterable<Buffer>, mender: Mender): AsyncGenerator<Buffer> {
  let line = 1
  let held: Buffer[] = []
  for await (const chunk of input) {
    let start = 0
    while (start < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, start)
      const piece = chunk.subarray(start, feed === -1 ? chunk.length : feed)
      start += piece.length
      if (!mender.looksAt(line)) yield piece
      else held.push(piece)
      if (feed === -1) continue
      if (held.length > 0) yield mender.mended(line, Buffer.concat(held))
      held = []
      yield chunk.subarray(feed, feed + 1)
      start += 1
      line += 1
    }
  }
  if (held.length > 0) yield mender.mended(line, Buffer.concat(held))
}

/** Changes the named parent in single lines. */
class Mender {
  readonly #path: string
  readonly #fields: NonNullable<TranscriptFormat['chain']>
  readonly #breaks: ReadonlyMap<number, Break>
  /** The lines of the records on which others will hang, and the ids in them. */
  readonly #ids: Map<number, string>

  constructor(path: string, breaks: readonly Break[], fields: NonNullable<TranscriptFormat['chain']>) {
    this.#path = path
    this.#fields = fields
    this.#breaks = new Map(breaks.map((one) => [one.line, one]))
    this.#ids = new Map(breaks.map(({ lineBefore }) => [lineBefore, '']))
  }

  looksAt(line: number): boolean {
    return this.#breaks.has(line) || this.#ids.has(line)
  }

  mended(line: number, bytes: Buffer): Buffer {
    const text = bytes.toString('utf8')
    const record = recordIn(text)
    const broken = this.#breaks.get(line)
    if (this.#ids.has(line)) this.#ids.set(line, String(record?.[this.#fields.id] ?? ''))
    if (!broken) return bytes
    const parent = this.#ids.get(broken.lineBefore) ?? ''
    const found = record && parent !== '' ? withParent(text, record, this.#fields.parent, parent) : null
    if (found === null || !Buffer.from(text).equals(bytes)) {
      throw new LcmError(
        'unsupported',
        `Line ${line} of ${this.#path} cannot be changed safely, so no copy was made.`,
        {
          path: this.#path,
        },
      )
    }
    return Buffer.from(found)
  }
}

/**
 * Replaces the parent that a record names in the text of its line. The same words may stand in other fields, so each
 * place is tried until the record says what it should and nothing else changed.
 */
function withParent(text: string, record: JsonObject, field: string, parent: string): string | null {
  const wanted = JSON.stringify({ ...record, [field]: parent })
  const places = text.matchAll(new RegExp(`"${field}"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"`, 'g'))
  for (const { index, 0: found } of places) {
    const value = found.slice(found.indexOf(':') + 1).trimStart()
    const before = text.slice(0, index + found.length - value.length)
    const tried = `${before}${JSON.stringify(parent)}${text.slice(index + found.length)}`
    if (JSON.stringify(recordIn(tried)) === wanted) return tried
  }
  return null
}

/** Returns null for a line that is not one object: several records in one line, or a damaged one, are not changed. */
function recordIn(text: string): JsonObject | null {
  const value = parsedJson(text.replace(/^\uFEFF/, ''))
  return isObject(value) ? value : null
}

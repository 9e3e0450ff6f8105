import { basename } from 'node:path'
import type { Role } from '#core/contract/ids.ts'
import type { NewPart } from '../new-message.ts'
import { raw } from './content-blocks.ts'
import { DerivedIds } from './derived-ids.ts'
import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import { isObject, type JsonObject, textAt } from './json-value.ts'
import { timeOf } from './parts.ts'
import { ROLES_BY_NAME } from './roles.ts'
import { textsIn } from './text-leaves.ts'

type Skipped = Extract<TranscriptRecord, { kind: 'skipped' }>

/** What formats that are not known call them beside that. */
const SPEAKERS: ReadonlyMap<string, Role> = new Map([
  ...ROLES_BY_NAME,
  ['agent', 'assistant'],
  ['bot', 'assistant'],
  ['tool_result', 'tool'],
  ['toolresult', 'tool'],
])
const ROLE_FIELDS = ['role', 'type', 'sender', 'author', 'speaker', 'from'] as const
/** A role stands in the record itself, or in the message inside of an envelope. */
const DEEPEST_ROLE = 3
/** Says who speaks in a value that looks like a message, and null for one that does not. */
function speakerIn(value: unknown, depth = 0): Role | null {
  if (!isObject(value) || depth > DEEPEST_ROLE) return null
  for (const field of ROLE_FIELDS) {
    const role = SPEAKERS.get((textAt(value, field) ?? '').toLowerCase())
    // A result without the call that it answers is kept as words that the model was given.
    if (role !== undefined) return role === 'tool' ? 'user' : role
  }
  for (const inner of Object.values(value)) {
    const role = isObject(inner) ? speakerIn(inner, depth + 1) : null
    if (role !== null) return role
  }
  return null
}

/**
 * Looks at what a reader made of a record. A record that looks like a message must give a part with content, or be
 * left out on purpose. One that the reader could not use is marked, so that it is kept as it stands. A message that came
 * out empty although its record has text is given the whole record as its part, and the line is reported.
 */
export function guardRecord(
  value: unknown,
  line: number,
  out: TranscriptRecord[],
  from: number,
  asides?: RegExp,
): void {
  let emptyAt = -1
  for (let index = from; index < out.length; index += 1) {
    const record = out[index] as TranscriptRecord
    if (partsOf(record)?.some(hasContent)) return
    if (partsOf(record) !== null && emptyAt === -1) emptyAt = index
    if (record.kind !== 'skipped') continue
    if (record.line === line && !record.isKnown && !record.unread) out[index] = marked(record, value, asides)
    return
  }
  const empty = out[emptyAt]
  if (empty === undefined || !isObject(value) || areTold(textsIn(value, asides), empty)) return
  out[emptyAt] = withWhole(empty, value)
  out.push({ kind: 'skipped', line, reason: `a message whose content has an unknown shape${KEPT}` })
}

const KEPT = ': it is kept as it stands'

function marked(record: Skipped, value: unknown, asides?: RegExp): Skipped {
  const role = speakerIn(value)
  return role !== null && isObject(value) && textsIn(value, asides).length > 0
    ? { ...record, unread: { value, role } }
    : record
}

/** Returns null for a record that is no message. */
function partsOf(record: TranscriptRecord): readonly NewPart[] | null {
  if (record.kind === 'answer') return record.blocks.map(({ part }) => part)
  return record.kind === 'message' ? record.message.parts : null
}

/** Some parts say that something happened, and not what was said: the end of a step, or a compaction. */
function hasContent({ type, text, toolInput, toolOutput, toolError }: NewPart): boolean {
  if (type === 'step_finish' || type === 'step_start' || type === 'compaction') return false
  if (type === 'text' || type === 'reasoning') return (text ?? '') !== ''
  return type !== 'tool' || (toolInput ?? '{}') !== '{}' || Boolean(toolOutput ?? toolError)
}

function areTold(texts: readonly string[], record: TranscriptRecord): boolean {
  const details = record.kind === 'answer' ? record.details : {}
  const fields = [...(partsOf(record) ?? []), details].flatMap((fieldsOf) => Object.values(fieldsOf))
  const told = fields.filter((field) => typeof field === 'string').join('\n')
  return texts.every((text) => told.includes(text) || told.includes(JSON.stringify(text).slice(1, -1)))
}

function withWhole(record: TranscriptRecord, value: JsonObject): TranscriptRecord {
  const { content, part } = wholeBlock(value)
  if (record.kind === 'answer') return { ...record, blocks: [{ part, text: content }, ...record.blocks] }
  if (record.kind !== 'message') return record
  const { message } = record
  return { ...record, message: { ...message, content, parts: [part, ...message.parts] } }
}

function wholeBlock(value: JsonObject): { readonly content: string; readonly part: NewPart } {
  const content = textsIn(value).join('\n\n')
  return { content, part: { type: 'text', text: content, metadata: raw({ unread: value }) } }
}

/**
 * Passes the records of a format on. A record that looks like a message and that its reader could not use becomes a
 * message with the whole record as its only part, so that a search finds its texts, and its line is reported.
 */
export async function* keepUnread(
  chunks: AsyncGenerator<TranscriptChunk>,
  source: TranscriptSource,
): AsyncGenerator<TranscriptChunk> {
  const keeper = new UnreadKeeper(source)
  for await (const chunk of chunks) {
    if (chunk.records.some(({ kind }) => kind === 'skipped' || kind === 'held')) {
      yield { ...chunk, records: chunk.records.flatMap((record) => keeper.pass(record)) }
    } else {
      for (const record of chunk.records) keeper.note(record)
      const waiting = keeper.release()
      yield waiting.length === 0 ? chunk : { ...chunk, records: [...chunk.records, ...waiting] }
    }
  }
  const records = keeper.end()
  if (records.length > 0) yield { doing: 'storing', bytesRead: source.bytes, records }
}

class UnreadKeeper {
  readonly #source: TranscriptSource
  readonly #ids = new DerivedIds()
  /** Records that stand before the first session of the file. */
  #waiting: Skipped[] = []
  /** The ids of records that were kept: their sessions hold them, although no reader could take them. */
  readonly #keptIds = new Set<string>()
  #sessionId: string | null = null
  #latestMs: number

  constructor(source: TranscriptSource) {
    this.#source = source
    this.#latestMs = source.nowMs
  }

  note(record: TranscriptRecord): void {
    if (record.kind === 'session' || record.kind === 'message' || record.kind === 'answer') {
      this.#sessionId = record.sessionId
      if (record.kind === 'message') this.#latestMs = record.message.createdAtMs
      if (record.kind === 'answer') this.#latestMs = record.createdAtMs
    }
  }

  pass(record: TranscriptRecord): TranscriptRecord[] {
    this.note(record)
    if (record.kind === 'held') return [{ ...record, externalIds: this.#keptIds.union(record.externalIds) }]
    if (record.kind !== 'skipped' || !record.unread) return [record, ...this.release()]
    if (this.#sessionId === null) {
      this.#waiting.push(record)
      return []
    }
    return [...this.release(), ...this.#kept(record, this.#sessionId)]
  }

  /** Returns what waited for a session, once there is one. */
  release(): TranscriptRecord[] {
    const sessionId = this.#sessionId
    if (sessionId === null || this.#waiting.length === 0) return []
    const waiting = this.#waiting
    this.#waiting = []
    return waiting.flatMap((record) => this.#kept(record, sessionId))
  }

  /** A file in which no session was declared is a session of its own. */
  end(): TranscriptRecord[] {
    if (this.#waiting.length === 0) return []
    const sessionId = this.#sessionId ?? `file:${basename(this.#source.path)}`
    const session = { kind: 'session', sessionId, startedAtMs: this.#latestMs } as const
    this.#sessionId = sessionId
    return [session, ...this.release()]
  }

  #kept({ line, reason, unread }: Skipped, sessionId: string): TranscriptRecord[] {
    if (!unread) return []
    const { value, role } = unread
    const createdAtMs = timeOf(value.timestamp ?? value.ts ?? value.time ?? value.created_at) ?? this.#latestMs
    const externalId = this.#ids.next('unread', JSON.stringify(value))
    this.#keptIds.add(externalId)
    const { content, part } = wholeBlock(value)
    const message = { externalId, role, createdAtMs, content, parts: [part] }
    return [
      { kind: 'message', sessionId, message, line },
      { kind: 'skipped', line, reason: `${reason}${KEPT}` },
    ]
  }
}

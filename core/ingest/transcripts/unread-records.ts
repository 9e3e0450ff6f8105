import { basename } from 'node:path'
import type { Role } from '../../contract/ids.ts'
import type { NewPart } from '../new-message.ts'
import { raw } from './content-blocks.ts'
import { DerivedIds } from './derived-ids.ts'
import type { TranscriptChunk, TranscriptRecord, TranscriptSource } from './format.ts'
import { isObject, type JsonObject, textAt } from './json-value.ts'
import { timeOf } from './parts.ts'

type Skipped = Extract<TranscriptRecord, { kind: 'skipped' }>

/** What people, models and tools are called by the formats that are known, and by some that are not. */
const roles: ReadonlyMap<string, Role> = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['agent', 'assistant'],
  ['bot', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  // A result without the call that it answers is kept as words that the model was given.
  ['tool', 'user'],
  ['function', 'user'],
  ['tool_result', 'user'],
  ['toolresult', 'user'],
])
const ROLE_FIELDS = ['role', 'type', 'sender', 'author', 'speaker', 'from'] as const
/** A role stands in the record itself, or in the message inside of an envelope. */
const DEEPEST_ROLE = 3
const DEEPEST_TEXT = 100
/** Shorter strings are text only in a field that is named after text. */
const SHORTEST_TEXT = 20
const textFields: ReadonlySet<string> = new Set(['text', 'content', 'thinking', 'parts', 'body', 'prompt', 'output'])
/** Fields of an envelope, which are no words of the conversation. */
const envelopeField = /^(?:cwd|directory|model|version|slug|title|.*(?:path|branch|id|uuid|url|mime|time|timestamp))$/i
/** Ids, times, addresses and bytes as text. */
const isName = (text: string): boolean => /^[\w.:+/=@#~-]*$/.test(text)

/** Says who speaks in a value that looks like a message, and null for one that does not. */
function speakerIn(value: unknown, depth = 0): Role | null {
  if (!isObject(value) || depth > DEEPEST_ROLE) return null
  for (const field of ROLE_FIELDS) {
    const role = roles.get((textAt(value, field) ?? '').toLowerCase())
    if (role !== undefined) return role
  }
  for (const inner of Object.values(value)) {
    const role = isObject(inner) ? speakerIn(inner, depth + 1) : null
    if (role !== null) return role
  }
  return null
}

/** A text of a record, and the fields that lead to it: `message.content[].text`. */
export type TextLeaf = { readonly field: string; readonly text: string }

/**
 * Gives the texts in a value of unknown shape, without ids, times and what else an envelope has, and without those that
 * the format leaves out by design. Arguments and results that are JSON as text are looked into.
 */
export function* textLeaves(value: unknown, asides?: RegExp, path = '', name = '', depth = 0): Generator<TextLeaf> {
  if (depth > DEEPEST_TEXT) return
  if (typeof value === 'string') {
    const inside = [...textLeaves(jsonIn(value), asides, path, name, depth + 1)]
    if (inside.length > 0) yield* inside
    else if (isText(value, name) && !asides?.test(`${path}: ${value.slice(0, 100)}`)) yield { field: path, text: value }
  } else if (Array.isArray(value)) {
    for (const item of value) yield* textLeaves(item, asides, `${path}[]`, name, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* textLeaves(inner, asides, path === '' ? key : `${path}.${key}`, key, depth + 1)
  }
}

/** Undefined for a text that is no JSON. */
function jsonIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // It only begins like JSON.
    return undefined
  }
}

export const textsIn = (value: unknown, asides?: RegExp): string[] =>
  Array.from(textLeaves(value, asides), ({ text }) => text)

/** Says whether a string of a record is words, and no id, time, path or address, nor bytes as text. */
function isText(text: string, field: string): boolean {
  if (text.trim() === '' || text.startsWith('data:')) return false
  return textFields.has(field) || (text.length > SHORTEST_TEXT && !envelopeField.test(field) && !isName(text))
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
    if (chunk.records.some(({ kind }) => kind === 'skipped')) {
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
    const { content, part } = wholeBlock(value)
    const message = { externalId, role, createdAtMs, content, parts: [part] }
    return [
      { kind: 'message', sessionId, message, line },
      { kind: 'skipped', line, reason: `${reason}${KEPT}` },
    ]
  }
}

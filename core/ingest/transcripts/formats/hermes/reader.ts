import { sha256 } from '#core/hashing.ts'
import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, contentOf } from '#core/ingest/transcripts/content-blocks.ts'
import type { PrunedText, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { isObject, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  callBlock,
  compactionPart,
  finishPart,
  jsonText,
  messageOf,
  RecordClock,
  reasoningBlock,
  resultMessage,
  stringsIn,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import { typeName } from '#core/ingest/transcripts/read-lines.ts'
import { parsedJson } from '#core/parsed-json.ts'
import { blocksIn } from '../messages/reader.ts'
import type { Chain, Segment } from './chains.ts'

type Sent = { readonly externalId: string; readonly digest: string }
/** A summary whose kept messages are still being read, with the results of which only a line was kept. */
type OpenCompaction = {
  readonly externalId: string
  readonly text: string
  readonly atMs: number
  readonly outputs: PrunedText[]
}
type Result = { readonly externalId: string; readonly length: number }

/** Versions without a column for it mark a summary by how it begins. */
const SUMMARY = /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)/
const PRIOR = /^\s*\[PRIOR CONTEXT /
/** A summary that could not stand as a message of its own stands behind this, and that behind what the next one said. */
const BELOW = '[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]'
/** Content that is a list is stored as JSON behind this mark. */
const JSON_MARK = '\0json:'

/**
 * Converts the messages of one conversation, in order. A compaction writes the new window again: what was said at the
 * beginning, the summary, and the newest messages, in the same session or in the one that goes on. These copies stay
 * the messages that they are.
 */
export class HermesReader {
  readonly #chain: Chain
  readonly #clock: RecordClock
  readonly #givenUp = new Set<string>()
  readonly #toolNames = new Map<string, string>()
  /** Results by their calls. */
  readonly #results = new Map<string, Result>()
  /** Copies of results of which a line was kept. */
  readonly #shortened = new Set<string>()
  /** What the model is sent, in its order. */
  #sent: Sent[] = []
  /** Messages of this conversation by what they say and when, which copies repeat. */
  readonly #said = new Map<string, string>()
  /** Copies since the last message that is none. */
  #kept: Sent[] = []
  #open: OpenCompaction | null = null
  /** True at the beginning of a session that goes on. */
  #isHandoff = false
  #isDeclared = false
  #prompt: string | null = null
  #model: string | null = null
  #title: string | null = null

  constructor(source: TranscriptSource, chain: Chain) {
    this.#chain = chain
    this.#clock = new RecordClock(source.nowMs)
  }

  /** Opens a session of the chain. */
  open({ id, row }: Segment, prompt: string | null, out: TranscriptRecord[]): void {
    this.#close(out)
    const atMs = this.#clock.at(row.started_at)
    this.#isHandoff = this.#isDeclared
    this.#title = textAt(row, 'title') ?? this.#title
    this.#model = textAt(row, 'model') ?? this.#model
    if (!this.#isDeclared) {
      const { id: sessionId, parentId } = this.#chain
      const title = this.#title === null ? null : oneLine(this.#title)
      const known = { parentSessionId: parentId, title, cwd: textAt(row, 'cwd'), startedAtMs: atMs }
      out.push({ kind: 'session', sessionId, ...known })
      this.#isDeclared = true
    }
    if (prompt === null || prompt === this.#prompt) return
    this.#prompt = prompt
    const details = { harness: true }
    const blocks = [textBlock(prompt)]
    this.#push(messageOf({ externalId: `${id}/system`, role: 'system', blocks, createdAtMs: atMs, details }), out)
  }

  take(row: JsonObject, line: number, out: TranscriptRecord[]): void {
    const role = textAt(row, 'role')
    if (role !== 'user' && role !== 'assistant' && role !== 'tool' && role !== 'system') {
      out.push({ kind: 'skipped', line, reason: `unknown role of a message: ${typeName(row.role)}` })
      return
    }
    const createdAtMs = this.#clock.at(row.timestamp)
    const externalId = `message-${row.id}`
    const digest = digestOf(row)
    const moment = `${digest} ${row.timestamp}`
    const isRewound = row.active === 0 && row.compacted !== 1
    const isSummary = row._compressed_summary === 1 || isSummaryText(textAt(row, 'content') ?? '')
    const isNew = isRewound || isSummary
    const original = isNew ? undefined : (this.#originalOf(digest, moment) ?? this.#shortenedResult(row, role, digest))
    if (original !== undefined) {
      this.#kept.push({ externalId: original, digest })
      this.#said.set(moment, original)
      // What is left of a shortened one stands in the record of the compaction.
      out.push({ kind: this.#shortened.has(digest) ? 'other' : 'repeated' })
      return
    }
    if (!isSummary || this.#open !== null) this.#close(out)
    const details: MessageDetails = {
      ...(isRewound ? { abandoned: true } : {}),
      ...(isSummary || row.display_kind === 'hidden' ? { harness: true } : {}),
      ...(row.observed === 1 ? { observed: true } : {}),
    }
    const message = this.#message(row, role, externalId, createdAtMs, details, isSummary)
    this.#push(message, out)
    this.#said.set(moment, externalId)
    const callId = textAt(row, 'tool_call_id')
    if (role === 'tool' && callId !== null) this.#results.set(callId, { externalId, length: message.content.length })
    if (isRewound) this.#givenUp.add(externalId)
    else if (isSummary) this.#open = { externalId, text: message.content, atMs: createdAtMs, outputs: [] }
    else this.#sent.push({ externalId, digest })
  }

  end(): TranscriptRecord[] {
    const out: TranscriptRecord[] = []
    this.#close(out)
    if (!this.#isDeclared) return out
    const { id: sessionId } = this.#chain
    out.push({ kind: 'given_up', sessionId, externalIds: this.#givenUp })
    if (this.#title !== null) out.push({ kind: 'title', sessionId, title: oneLine(this.#title) })
    return out
  }

  /**
   * Returns the message of which a row is a copy. Within a session a copy has the time of its original. In the one that
   * goes on, everything before the first new message may be a copy.
   */
  #originalOf(digest: string, moment: string): string | undefined {
    const same = this.#said.get(moment)
    if (same !== undefined || !this.#isHandoff) return same
    const taken = new Set(this.#kept.map(({ externalId }) => externalId))
    return this.#sent.findLast((one) => one.digest === digest && !taken.has(one.externalId))?.externalId
  }

  /** A compaction may keep of a result only a line in brackets, which says how long it was. */
  #shortenedResult(row: JsonObject, role: string, digest: string): string | undefined {
    const callId = textAt(row, 'tool_call_id')
    const seen = textAt(row, 'content') ?? ''
    if (role !== 'tool' || callId === null || this.#open === null || !/^\[.*\]$/.test(seen)) return undefined
    const result = this.#results.get(callId)
    if (result === undefined || seen.length >= result.length) return undefined
    this.#open.outputs.push({ callId, seen })
    this.#shortened.add(digest)
    return result.externalId
  }

  /** A message that is no copy ends the window that a compaction wrote. */
  #close(out: TranscriptRecord[]): void {
    const open = this.#open
    const kept = this.#kept
    this.#open = null
    this.#kept = []
    this.#isHandoff = false
    if (open === null) return
    const { externalId, text, atMs, outputs } = open
    const told = { key: externalId, text, atMs, isAuto: null, model: this.#model } as const
    const replaced = { kind: 'all_but', kept: new Set(kept.map((one) => one.externalId)) } as const
    const { id: sessionId } = this.#chain
    out.push({ kind: 'compaction', sessionId, ...told, recordedBy: [externalId], replaced })
    const pruned = { key: `results at ${externalId}`, by: 'pruning', atMs, isAuto: null, toldTokens: null } as const
    if (outputs.length > 0) out.push({ kind: 'pruning', sessionId, ...pruned, outputs })
    this.#sent = [{ externalId, digest: '' }, ...kept]
  }

  #push(message: ReturnType<typeof messageOf>, out: TranscriptRecord[]): void {
    out.push({ kind: 'message', sessionId: this.#chain.id, message })
  }

  #message(
    row: JsonObject,
    role: 'user' | 'assistant' | 'tool' | 'system',
    externalId: string,
    createdAtMs: number,
    details: MessageDetails,
    isSummary: boolean,
  ) {
    const said = blocksIn(row.content)
    if (role === 'tool') {
      const callId = textAt(row, 'tool_call_id')
      const name = textAt(row, 'tool_name') ?? this.#toolNames.get(callId ?? '') ?? null
      const files = said.filter(({ part }) => part.type === 'file')
      const output = contentOf(said)
      return resultMessage({ externalId, callId, name, output, isError: false, createdAtMs, details, files })
    }
    const calls = role === 'assistant' ? callsOf(row) : []
    for (const { part } of calls)
      if (part.toolCallId && part.toolName) this.#toolNames.set(part.toolCallId, part.toolName)
    const blocks = [...thoughtsOf(row), ...said, ...calls]
    const more = [...(isSummary ? [compactionPart(null)] : []), ...(role === 'assistant' ? this.#finish(row) : [])]
    return messageOf({ externalId, role, blocks, createdAtMs, details, more })
  }

  #finish(row: JsonObject): NewPart[] {
    const reason = textAt(row, 'finish_reason')
    if (reason === null && this.#model === null) return []
    return [finishPart({ model: this.#model, stepReason: reason })]
  }
}

function isSummaryText(text: string): boolean {
  if (!PRIOR.test(text)) return SUMMARY.test(text)
  const at = text.lastIndexOf(BELOW)
  return at > 0 && SUMMARY.test(text.slice(at + BELOW.length))
}

const digestOf = ({ role, content, tool_call_id: callId, tool_calls: calls }: JsonObject): string =>
  sha256(JSON.stringify([role, content ?? '', callId ?? '', calls ?? '']), 'base64').slice(0, 16)

/**
 * Returns a row with its calls, and with its content as blocks where that is not a text. What cannot be parsed stays the
 * text that it is.
 */
export function decoded(row: JsonObject): JsonObject {
  const { content, tool_calls: calls } = row
  const isList = typeof content === 'string' && content.startsWith(JSON_MARK)
  return {
    ...row,
    content: isList ? (parsedJson(content.slice(JSON_MARK.length)) ?? content) : content,
    tool_calls: typeof calls === 'string' ? (parsedJson(calls) ?? calls) : calls,
  }
}

function callsOf(row: JsonObject): BlockPart[] {
  const list = row.tool_calls
  if (!Array.isArray(list)) return typeof list === 'string' ? blocksIn(list) : []
  return list.filter(isObject).map((call) => {
    const named = isObject(call.function) ? objectAt(call, 'function') : call
    return callBlock({
      id: stringsIn(call, 'id', 'call_id'),
      name: textAt(named, 'name'),
      input: jsonText(named.arguments ?? named.input),
    })
  })
}

/** Thoughts are in one of several columns, by provider. */
function thoughtsOf(row: JsonObject): BlockPart[] {
  const text = stringsIn(row, 'reasoning_content', 'reasoning')
  return text === null ? [] : [reasoningBlock(text)]
}

import type { NewPart } from '#core/ingest/new-message.ts'
import { type BlockPart, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { countAt, isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
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
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import { answerOf, argumentsOf, callOf, isEvent } from './event.ts'

/** Actions of the program: states, and look-ups whose result is an observation. */
const silentActions: ReadonlySet<string> = new Set([
  'recall',
  'change_agent_state',
  'null',
  'initialize',
  'start',
  'condensation_request',
])
const silentObservations: ReadonlySet<string> = new Set(['agent_state_changed', 'null'])

/** Converts the events of one task, in order, into records. */
export class OpenHandsReader {
  readonly #sessionId: string
  readonly #task: JsonObject
  readonly #clock: RecordClock
  readonly #ids = new DerivedIds()
  readonly #answers = new Set<string>()
  /** Ids of messages by the number of their event. */
  readonly #told = new Map<number, string>()
  /** The last call without a result, for observations that do not name their cause. */
  #open: { readonly callId: string; readonly name: string } | null = null
  #isDeclared = false
  #hasUserSpoken = false
  #title: string | null = null

  constructor(source: TranscriptSource, sessionId: string, task: JsonObject) {
    this.#sessionId = sessionId
    this.#task = task
    this.#clock = new RecordClock(source.nowMs)
  }

  take(event: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    if (!isObject(event) || !isEvent(event)) {
      out.push({ kind: 'skipped', line: origin.line, reason: 'neither an action nor an observation' })
      return
    }
    const atMs = this.#clock.at(event.timestamp)
    const id = countAt(event, 'id')
    const externalId = id === null ? this.#ids.next('event', JSON.stringify(event)) : this.#ids.named(`event-${id}`)
    if (id !== null) this.#told.set(id, externalId)
    if (typeof event.observation === 'string') this.#takeObservation(event, externalId, atMs, origin.details, out)
    else this.#takeAction(event, externalId, atMs, origin.details, out)
  }

  end(): TranscriptRecord[] {
    if (!this.#isDeclared) return []
    const issue = objectAt(this.#task, 'issue')
    const title = textAt(this.#task, 'instance_id') ?? textAt(issue, 'title') ?? this.#title
    return title === null ? [{ kind: 'other' }] : [{ kind: 'title', sessionId: this.#sessionId, title: oneLine(title) }]
  }

  #takeAction(
    event: JsonObject,
    externalId: string,
    atMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const action = textAt(event, 'action') ?? ''
    const args = argumentsOf(event)
    const source = textAt(event, 'source')
    const said = textIn(args.content)
    if (silentActions.has(action)) {
      out.push({ kind: 'other' })
    } else if (action === 'condensation') {
      this.#condense(args, externalId, atMs, details, out)
    } else if (action === 'system') {
      this.#say({ role: 'system', text: said, externalId, atMs, details }, out)
    } else if (action === 'message' && (source === 'user' || (source === null && !this.#hasUserSpoken))) {
      this.#hasUserSpoken = true
      if (said.trim() !== '') this.#title ??= oneLine(said)
      this.#say({ role: 'user', text: said, externalId, atMs, details }, out)
    } else if (action === 'message') {
      this.#say({ role: 'assistant', text: said, externalId, atMs, details, more: this.#finish(event) }, out)
    } else {
      this.#act(event, externalId, atMs, details, out)
    }
  }

  /** The agent removed events. From here on a summary replaces them, or nothing. */
  #condense(
    args: JsonObject,
    externalId: string,
    atMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const text = textAt(args, 'summary')
    const forgotten = this.#forgotten(args)
    const said = { externalId, createdAtMs: atMs, details: { ...details, harness: true } }
    const blocks = text === null ? [] : [textBlock(text)]
    const more = [compactionPart(null, { forgotten: forgotten.size })]
    this.#push(messageOf({ ...said, role: 'user', blocks, more }), atMs, out)
    if (forgotten.size === 0) return
    out.push({
      kind: 'compaction',
      sessionId: this.#sessionId,
      key: externalId,
      text,
      atMs,
      isAuto: null,
      model: null,
      recordedBy: [externalId],
      replaced: { kind: 'these', externalIds: forgotten, ...(text === null ? {} : { summaries: 'all' }) },
    })
  }

  /** Returns the messages of the events that a condensation names one by one, or by the first and the last. */
  #forgotten(args: JsonObject): Set<string> {
    const [from, to] = [countAt(args, 'forgotten_events_start_id'), countAt(args, 'forgotten_events_end_id')]
    const named = new Set(listAt(args, 'forgotten_event_ids').map(Number))
    const isForgotten = (id: number): boolean =>
      named.has(id) || (from !== null && to !== null && id >= from && id <= to)
    return new Set(Array.from(this.#told, ([id, externalId]) => (isForgotten(id) ? [externalId] : [])).flat())
  }

  /** Stores the thoughts of the model, and what it did then. */
  #act(event: JsonObject, externalId: string, atMs: number, given: MessageDetails, out: TranscriptRecord[]): void {
    const args = argumentsOf(event)
    const { id, name, input } = callOf(event)
    const callId = id ?? `${externalId}/call`
    this.#open = { callId, name }
    const { reasoning } = answerOf(event)
    const said = stringsIn(args, 'thought', 'final_thought')
    const blocks: BlockPart[] = [
      ...(reasoning === null ? [] : [reasoningBlock(reasoning)]),
      ...(said === null ? [] : [textBlock(said)]),
      callBlock({ id: callId, name, input: jsonText(input) }),
    ]
    // A person may run commands too.
    const details: MessageDetails = textAt(event, 'source') === 'user' ? { ...given, byUser: true } : given
    const base = { externalId, createdAtMs: atMs, details }
    this.#push(messageOf({ ...base, role: 'assistant', blocks, more: this.#finish(event) }), atMs, out)
  }

  #takeObservation(
    event: JsonObject,
    externalId: string,
    atMs: number,
    details: MessageDetails,
    out: TranscriptRecord[],
  ): void {
    const kind = textAt(event, 'observation') ?? ''
    const content = textIn(event.content)
    const extras = objectAt(event, 'extras')
    const metadata = objectAt(event, 'tool_call_metadata')
    const cause = countAt(event, 'cause')
    const open = this.#open
    const callId = textAt(metadata, 'tool_call_id') ?? (cause === null ? (open?.callId ?? null) : `event-${cause}`)
    if (silentObservations.has(kind) || kind === 'recall') {
      const told = kind === 'recall' ? recalled(content, extras) : ''
      if (told === '') out.push({ kind: 'other' })
      else this.#say({ role: 'user', text: told, externalId, atMs, details: { ...details, harness: true, kind } }, out)
      return
    }
    if (callId === null) {
      this.#say({ role: 'user', text: content, externalId, atMs, details: { ...details, harness: true, kind } }, out)
      return
    }
    if (open?.callId === callId) this.#open = null
    const exit = [extras.exit_code, objectAt(extras, 'metadata').exit_code, event.exit_code].find(
      (code) => typeof code === 'number',
    )
    const name = textAt(metadata, 'function_name') ?? (open?.callId === callId ? open.name : kind)
    const isError = kind === 'error' || event.success === false || (typeof exit === 'number' && exit > 0)
    const given = { externalId, callId, name, output: content, isError, createdAtMs: atMs, details }
    this.#push(resultMessage(given), atMs, out)
  }

  #say(
    said: {
      readonly role: 'system' | 'user' | 'assistant'
      readonly text: string
      readonly externalId: string
      readonly atMs: number
      readonly details: MessageDetails
      readonly more?: readonly NewPart[]
    },
    out: TranscriptRecord[],
  ): void {
    const { role, text, externalId, atMs, details, more = [] } = said
    const message = messageOf({ externalId, role, blocks: [textBlock(text)], createdAtMs: atMs, details, more })
    this.#push(message, atMs, out)
  }

  #push(message: ReturnType<typeof messageOf>, atMs: number, out: TranscriptRecord[]): void {
    if (!this.#isDeclared) {
      this.#isDeclared = true
      out.push({ kind: 'session', sessionId: this.#sessionId, startedAtMs: atMs })
    }
    out.push({ kind: 'message', sessionId: this.#sessionId, message })
  }

  /** Several actions may come with one answer of the model, whose usage is stored once. */
  #finish(event: JsonObject): NewPart[] {
    const { id, model, tokensIn, tokensOut } = answerOf(event)
    if (id === null || this.#answers.has(id) || (model === null && tokensIn === null)) return []
    this.#answers.add(id)
    return [finishPart({ model, stepTokensIn: tokensIn, stepTokensOut: tokensOut })]
  }
}

/** Returns a text, or the texts of blocks. */
const textIn = (content: unknown): string => (content == null ? '' : (unknownBlock(content).text ?? ''))

/** Returns what was looked up for the agent, such as instructions of the repository and knowledge for a keyword. */
function recalled(content: string, extras: JsonObject): string {
  const knowledge = Array.isArray(extras.microagent_knowledge) ? extras.microagent_knowledge.filter(isObject) : []
  const texts = [
    textAt(extras, 'repo_instructions'),
    textAt(extras, 'additional_agent_instructions'),
    ...knowledge.map((item) => textAt(item, 'content')),
  ].filter((text) => text !== null)
  return texts.length > 0 ? texts.join('\n\n') : content === 'Added workspace context' ? '' : content
}

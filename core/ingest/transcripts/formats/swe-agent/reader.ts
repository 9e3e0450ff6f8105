import type { Role } from '#core/contract/ids.ts'
import { type BlockPart, contentOf, fileBlock, unknownBlock } from '#core/ingest/transcripts/content-blocks.ts'
import { DerivedIds } from '#core/ingest/transcripts/derived-ids.ts'
import type { PrunedText, TranscriptRecord, TranscriptSource } from '#core/ingest/transcripts/format.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import type { MessageDetails } from '#core/ingest/transcripts/message-details.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import {
  blocksOfContent,
  callBlock,
  jsonText,
  messageOf,
  reasoningBlock,
  resultMessage,
  textBlock,
} from '#core/ingest/transcripts/parts.ts'
import type { RecordOrigin } from '#core/ingest/transcripts/read-lines.ts'
import { parsedJson } from '#core/parsed-json.ts'
import { KnownLines } from './known-lines.ts'

const roles: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])

/**
 * Accepts a message of the history, or of a data set whose text is in `text` or, for a system message, in
 * `system_prompt`.
 */
export const isHistoryItem = (item: JsonObject): boolean =>
  roles.has(textAt(item, 'role') ?? '') &&
  ['content', 'text', 'system_prompt', 'tool_calls'].some((key) => item[key] !== undefined)

/** Accepts what the agent did together with the result. */
export const isStep = (step: JsonObject): boolean =>
  typeof step.action === 'string' && (typeof step.observation === 'string' || typeof step.response === 'string')

/** Converts the history of one run into records. It has neither ids nor times. */
export class SweAgentReader {
  readonly #source: TranscriptSource
  readonly #sessionId: string
  readonly #run: JsonObject
  readonly #ids = new DerivedIds()
  readonly #toolNames = new Map<string, string>()
  readonly #knownLines = new KnownLines()
  /** The prompt that the model was sent last, and the history as far as it was read, in the same order. */
  #prompt: readonly JsonObject[] = []
  readonly #elided: PrunedText[] = []
  #nextSent = 0
  #isDeclared = false

  constructor(source: TranscriptSource, sessionId: string, run: JsonObject) {
    this.#source = source
    this.#sessionId = sessionId
    this.#run = run
  }

  get hasSaid(): boolean {
    return this.#isDeclared
  }

  /** Notes what the model was sent for a step, before the history is read. */
  look(step: unknown): void {
    if (!isObject(step)) return
    const sent = [...listAt(step, 'query'), ...listAt(step, 'messages')].filter(isObject)
    if (sent.length > 0) this.#prompt = sent
  }

  take(item: unknown, origin: RecordOrigin, out: TranscriptRecord[]): void {
    if (isObject(item) && isHistoryItem(item)) this.#takeItem(item, origin.details, out)
    else if (isObject(item) && isStep(item)) this.#takeStep(item, origin.details, out)
    else out.push({ kind: 'skipped', line: origin.line, reason: 'neither a message with a role nor a step' })
  }

  /**
   * Adds what a step says and the history does not, after the history. In a file that is cut off this cannot be known,
   * so it is reported.
   */
  takeNewFields(step: unknown, isWhole: boolean, origin: RecordOrigin, out: TranscriptRecord[]): void {
    if (!isObject(step) || !isStep(step)) return
    const newFields: JsonObject = Object.fromEntries(
      STEP_TEXTS.flatMap((field) => {
        const text = textAt(step, field)
        return text === null || this.#knownLines.has(text) ? [] : [[field, text] as const]
      }),
    )
    if (Object.keys(newFields).length === 0) return
    if (isWhole) this.#takeStep(newFields, { ...origin.details, onlyInTrajectory: true }, out)
    else out.push({ kind: 'skipped', line: origin.line, reason: STEP_OF_CUT_FILE, isKnown: true })
  }

  end(): TranscriptRecord[] {
    if (!this.#isDeclared) return []
    const name = textAt(this.#run, 'instance_id')
    const title = name === null ? [] : [{ kind: 'title', sessionId: this.#sessionId, title: oneLine(name) } as const]
    return [...this.#elisions(), ...title]
  }

  /** Finds old observations of which the last prompt had only their length. */
  #elisions(): TranscriptRecord[] {
    if (this.#elided.length === 0) return []
    const told = { key: 'elided', by: 'elision', atMs: this.#source.nowMs, isAuto: true, toldTokens: null }
    return [{ kind: 'pruning', sessionId: this.#sessionId, ...told, outputs: this.#elided }]
  }

  #noteElision(item: JsonObject, externalId: string): void {
    const sent = this.#prompt[this.#nextSent]
    this.#nextSent += 1
    const seen = sent && textOf(sent)
    if (seen && ELIDED.test(seen) && !ELIDED.test(textOf(item)) && sent.role === item.role) {
      this.#elided.push({ externalId, seen })
    }
  }

  #takeItem(item: JsonObject, given: MessageDetails, out: TranscriptRecord[]): void {
    this.#declare(out)
    for (const text of textsOf(item)) this.#knownLines.add(text)
    const role = roles.get(textAt(item, 'role') ?? '') ?? 'user'
    const externalId = this.#ids.next('message', JSON.stringify(item))
    this.#noteElision(item, externalId)
    const agent = textAt(item, 'agent')
    const details: MessageDetails = {
      ...given,
      ...(item.is_demo === true ? { demonstration: true, harness: true } : {}),
      ...(agent === null || agent === 'main' || agent === 'primary' ? {} : { agent }),
    }
    const createdAtMs = this.#source.nowMs
    const blocks = contentBlocks(item)
    if (role === 'tool') {
      const [callId] = [...listAt(item, 'tool_call_ids'), item.tool_call_id].filter((id) => typeof id === 'string')
      const name = this.#toolNames.get(callId ?? '') ?? textAt(item, 'name')
      const output = blocks.map(({ text }) => text ?? '').join('\n')
      const files = blocks.filter(({ part }) => part.type === 'file')
      const result = { externalId, callId: callId ?? null, name, output, isError: false, createdAtMs, details, files }
      out.push({ kind: 'message', sessionId: this.#sessionId, message: resultMessage(result) })
      return
    }
    const said = role === 'assistant' ? [...thoughts(item, blocks), ...blocks, ...this.#calls(item, blocks)] : blocks
    const message = messageOf({ externalId, role, blocks: said, createdAtMs, details })
    out.push({ kind: 'message', sessionId: this.#sessionId, message })
  }

  /** A step is what the model said and did, and what it then saw. */
  #takeStep(step: JsonObject, details: MessageDetails, out: TranscriptRecord[]): void {
    this.#declare(out)
    const id = this.#ids.next('step', JSON.stringify([step.response, step.action, step.observation]))
    const callId = `${id}/call`
    const response = textAt(step, 'response')
    const thought = textAt(step, 'thought')?.trim() ?? ''
    const said = response ?? thought
    const beside = response !== null && thought !== '' && !response.includes(thought) ? [reasoningBlock(thought)] : []
    const base = { createdAtMs: this.#source.nowMs, details }
    const input = JSON.stringify({ command: step.action })
    const call = step.action === undefined ? [] : [callBlock({ id: callId, name: 'action', input })]
    const blocks = [...beside, ...(said === '' ? [] : [textBlock(said)]), ...call]
    if (blocks.length > 0) {
      const message = messageOf({ ...base, externalId: id, role: 'assistant', blocks })
      out.push({ kind: 'message', sessionId: this.#sessionId, message })
    }
    if (typeof step.observation !== 'string') return
    if (call.length === 0) {
      // Its call is in the history, without an id.
      const seen = { externalId: `${id}/output`, role: 'user', blocks: [textBlock(step.observation)] } as const
      out.push({ kind: 'message', sessionId: this.#sessionId, message: messageOf({ ...base, ...seen }) })
      return
    }
    const result = { externalId: `${id}/output`, callId, name: 'action', output: step.observation, isError: false }
    out.push({ kind: 'message', sessionId: this.#sessionId, message: resultMessage({ ...base, ...result }) })
  }

  #calls(item: JsonObject, said: readonly BlockPart[]): BlockPart[] {
    const calls = listAt(item, 'tool_calls').filter(isObject)
    const action = calls.length === 0 ? (textAt(item, 'action')?.trim() ?? '') : ''
    // An action is mostly part of what the model said.
    if (action !== '' && !contentOf(said).includes(action)) {
      return [callBlock({ id: null, name: 'action', input: JSON.stringify({ command: action }) })]
    }
    return calls.map((call) => {
      const named = objectAt(call, 'function')
      const id = textAt(call, 'id')
      const name = textAt(named, 'name')
      if (id !== null && name !== null) this.#toolNames.set(id, name)
      return callBlock({ id, name, input: jsonText(named.arguments) })
    })
  }

  #declare(out: TranscriptRecord[]): void {
    if (this.#isDeclared) return
    this.#isDeclared = true
    out.push({ kind: 'session', sessionId: this.#sessionId, startedAtMs: this.#source.nowMs })
  }
}

/** Matches what the history processors of SWE-agent put in the place of an observation. */
const ELIDED = /^\s*(?:Old environment output: \(|Outdated window with \d+ lines omitted)/

const STEP_TEXTS = ['response', 'thought', 'action', 'observation'] as const
const STEP_OF_CUT_FILE =
  'a step that the history does not say as far as the file goes: import the file again when it is whole'

/** Returns all texts of an item of the history, including those that are stored as thoughts and calls. */
function textsOf(item: JsonObject): string[] {
  const calls = listAt(item, 'tool_calls').filter(isObject)
  return [
    ...contentBlocks(item).map(({ text }) => text ?? ''),
    textAt(item, 'thought') ?? '',
    ...(item.role === 'assistant' ? [textAt(item, 'action') ?? ''] : []),
    ...calls.flatMap((call) => stringsWithin(objectAt(call, 'function').arguments)),
  ]
}

/** Returns the strings in arguments, which are JSON text or objects. */
function stringsWithin(value: unknown): string[] {
  if (typeof value !== 'string') return isObject(value) ? Object.values(value).flatMap(stringsWithin) : []
  const inner = parsedJson(value)
  return isObject(inner) ? Object.values(inner).filter((text) => typeof text === 'string') : [value]
}

const textOf = (item: JsonObject): string => contentOf(contentBlocks(item))

function contentBlocks(item: JsonObject): BlockPart[] {
  const content = item.content ?? item.text ?? item.system_prompt
  return blocksOfContent(content, (block) => {
    if (isObject(block) && typeof block.text === 'string') return textBlock(block.text)
    const url = isObject(block) ? (textAt(objectAt(block, 'image_url'), 'url') ?? textAt(block, 'image_url')) : null
    return url === null ? unknownBlock(block) : fileBlock({ kind: 'image', mime: null, url })
  })
}

/** Returns what the model thought when it is not part of what it said. */
function thoughts(item: JsonObject, said: readonly BlockPart[]): BlockPart[] {
  const text = contentOf(said)
  const own = listAt(item, 'thinking_blocks').flatMap((block) =>
    isObject(block) ? (textAt(block, 'thinking') ?? []) : [],
  )
  const thought = textAt(item, 'thought')?.trim() ?? ''
  const beside = thought !== '' && !text.includes(thought) ? [thought] : []
  return [...own, ...beside].map(reasoningBlock)
}

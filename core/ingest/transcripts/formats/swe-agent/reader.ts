import type { Role } from '../../../../contract/ids.ts'
import { type BlockPart, unknownBlock } from '../../content-blocks.ts'
import { DerivedIds } from '../../derived-ids.ts'
import { contentOf, type Marks } from '../../draft.ts'
import type { PrunedText, TranscriptRecord, TranscriptSource } from '../../format.ts'
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../json-value.ts'
import { oneLine } from '../../one-line.ts'
import { callBlock, fileBlock, jsonText, messageOf, reasoningBlock, resultMessage, textBlock } from '../../parts.ts'
import type { Place } from '../../read-lines.ts'
import { ToldLines } from './told-lines.ts'

const roles: ReadonlyMap<string, Role> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])

/** A message of the history, or of a data set that calls its text `text` or, for a system message, `system_prompt`. */
export const isHistoryItem = (item: JsonObject): boolean =>
  roles.has(textAt(item, 'role') ?? '') &&
  ['content', 'text', 'system_prompt', 'tool_calls'].some((key) => item[key] !== undefined)

/** What the agent did, and what came of it. */
export const isStep = (step: JsonObject): boolean =>
  typeof step.action === 'string' && (typeof step.observation === 'string' || typeof step.response === 'string')

/** Turns the history of one run into records. There are neither ids nor times in it. */
export class SweAgentReader {
  readonly #source: TranscriptSource
  readonly #sessionId: string
  readonly #run: JsonObject
  readonly #ids = new DerivedIds()
  readonly #toolNames = new Map<string, string>()
  readonly #told = new ToldLines()
  /** What the model was sent last, and the history as far as it has been read, in the same order. */
  #prompt: readonly JsonObject[] = []
  readonly #elided: PrunedText[] = []
  #place = 0
  #isDeclared = false

  constructor(source: TranscriptSource, sessionId: string, run: JsonObject) {
    this.#source = source
    this.#sessionId = sessionId
    this.#run = run
  }

  get hasSaid(): boolean {
    return this.#isDeclared
  }

  /** Takes note of what the model was sent for a step, before the history is read. */
  look(step: unknown): void {
    if (!isObject(step)) return
    const sent = [...listAt(step, 'query'), ...listAt(step, 'messages')].filter(isObject)
    if (sent.length > 0) this.#prompt = sent
  }

  take(item: unknown, place: Place, out: TranscriptRecord[]): void {
    if (isObject(item) && isHistoryItem(item)) this.#takeItem(item, place.marks, out)
    else if (isObject(item) && isStep(item)) this.#takeStep(item, place.marks, out)
    else out.push({ kind: 'skipped', line: place.line, reason: 'neither a message with a role nor a step' })
  }

  /**
   * What of a step the history does not say: it comes behind the history. Of a file that is cut off nobody can know yet,
   * and then it is reported.
   */
  takeUntold(step: unknown, isWhole: boolean, place: Place, out: TranscriptRecord[]): void {
    if (!isObject(step) || !isStep(step)) return
    const untold: JsonObject = Object.fromEntries(
      STEP_TEXTS.flatMap((field) => {
        const text = textAt(step, field)
        return text === null || this.#told.has(text) ? [] : [[field, text] as const]
      }),
    )
    if (Object.keys(untold).length === 0) return
    if (isWhole) this.#takeStep(untold, { ...place.marks, onlyInTrajectory: true }, out)
    else out.push({ kind: 'skipped', line: place.line, reason: STEP_OF_CUT_FILE })
  }

  end(): TranscriptRecord[] {
    if (!this.#isDeclared) return []
    const name = textAt(this.#run, 'instance_id')
    const title = name === null ? [] : [{ kind: 'title', sessionId: this.#sessionId, title: oneLine(name) } as const]
    return [...this.#elisions(), ...title]
  }

  /** Old observations of which the model was sent only how long they had been, when it was asked last. */
  #elisions(): TranscriptRecord[] {
    if (this.#elided.length === 0) return []
    const told = { key: 'elided', by: 'elision', atMs: this.#source.nowMs, isAuto: true, toldTokens: null }
    return [{ kind: 'pruning', sessionId: this.#sessionId, ...told, outputs: this.#elided }]
  }

  #noteElision(item: JsonObject, externalId: string): void {
    const sent = this.#prompt[this.#place]
    this.#place += 1
    const seen = sent && textOf(sent)
    if (seen && ELIDED.test(seen) && !ELIDED.test(textOf(item)) && sent.role === item.role) {
      this.#elided.push({ externalId, seen })
    }
  }

  #takeItem(item: JsonObject, given: Marks, out: TranscriptRecord[]): void {
    this.#declare(out)
    for (const text of textsOf(item)) this.#told.add(text)
    const role = roles.get(textAt(item, 'role') ?? '') ?? 'user'
    const externalId = this.#ids.next('message', JSON.stringify(item))
    this.#noteElision(item, externalId)
    const agent = textAt(item, 'agent')
    const marks: Marks = {
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
      const result = { externalId, callId: callId ?? null, name, output, isError: false, createdAtMs, marks, files }
      out.push({ kind: 'message', sessionId: this.#sessionId, message: resultMessage(result) })
      return
    }
    const said = role === 'assistant' ? [...thoughts(item, blocks), ...blocks, ...this.#calls(item, blocks)] : blocks
    const message = messageOf({ externalId, role, blocks: said, createdAtMs, marks })
    out.push({ kind: 'message', sessionId: this.#sessionId, message })
  }

  /** A step is what the model said and did, and what it then saw. */
  #takeStep(step: JsonObject, marks: Marks, out: TranscriptRecord[]): void {
    this.#declare(out)
    const id = this.#ids.next('step', JSON.stringify([step.response, step.action, step.observation]))
    const callId = `${id}/call`
    const response = textAt(step, 'response')
    const thought = textAt(step, 'thought')?.trim() ?? ''
    const said = response ?? thought
    const beside = response !== null && thought !== '' && !response.includes(thought) ? [reasoningBlock(thought)] : []
    const base = { createdAtMs: this.#source.nowMs, marks }
    const input = JSON.stringify({ command: step.action })
    const call = step.action === undefined ? [] : [callBlock({ id: callId, name: 'action', input })]
    const blocks = [...beside, ...(said === '' ? [] : [textBlock(said)]), ...call]
    if (blocks.length > 0) {
      const message = messageOf({ ...base, externalId: id, role: 'assistant', blocks })
      out.push({ kind: 'message', sessionId: this.#sessionId, message })
    }
    if (typeof step.observation !== 'string') return
    if (call.length === 0) {
      // Its call stands in the history, without an id.
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
    // An action mostly stands in what the model said.
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

/** What SWE-agent's history processors put in the place of an observation. */
const ELIDED = /^\s*(?:Old environment output: \(|Outdated window with \d+ lines omitted)/

const STEP_TEXTS = ['response', 'thought', 'action', 'observation'] as const
const STEP_OF_CUT_FILE =
  'a step that the history does not say as far as the file goes: import the file again when it is whole'

/** All that an item of the history says, also what is stored as thoughts and calls. */
function textsOf(item: JsonObject): string[] {
  const calls = listAt(item, 'tool_calls').filter(isObject)
  return [
    ...contentBlocks(item).map(({ text }) => text ?? ''),
    textAt(item, 'thought') ?? '',
    ...(item.role === 'assistant' ? [textAt(item, 'action') ?? ''] : []),
    ...calls.flatMap((call) => stringsWithin(objectAt(call, 'function').arguments)),
  ]
}

/** Strings in arguments, be they JSON text or objects. */
function stringsWithin(value: unknown): string[] {
  if (typeof value !== 'string') return isObject(value) ? Object.values(value).flatMap(stringsWithin) : []
  try {
    const inner: unknown = JSON.parse(value)
    return isObject(inner) ? Object.values(inner).filter((text) => typeof text === 'string') : [value]
  } catch {
    return [value]
  }
}

const textOf = (item: JsonObject): string => contentOf(contentBlocks(item))

function contentBlocks(item: JsonObject): BlockPart[] {
  const content = item.content ?? item.text ?? item.system_prompt
  if (typeof content === 'string') return [textBlock(content)]
  if (!Array.isArray(content)) return content === null || content === undefined ? [] : [unknownBlock(content)]
  return content.map((block: unknown) => {
    if (isObject(block) && typeof block.text === 'string') return textBlock(block.text)
    const url = isObject(block) ? (textAt(objectAt(block, 'image_url'), 'url') ?? textAt(block, 'image_url')) : null
    return url === null ? unknownBlock(block) : fileBlock({ kind: 'image', mime: null, url })
  })
}

/** What the model thought, where that is not part of what it said. */
function thoughts(item: JsonObject, said: readonly BlockPart[]): BlockPart[] {
  const text = contentOf(said)
  const own = listAt(item, 'thinking_blocks').flatMap((block) =>
    isObject(block) ? (textAt(block, 'thinking') ?? []) : [],
  )
  const thought = textAt(item, 'thought')?.trim() ?? ''
  const beside = thought !== '' && !text.includes(thought) ? [thought] : []
  return [...own, ...beside].map(reasoningBlock)
}

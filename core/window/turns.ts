import type { ReadDb } from '../sqlite/read-db.ts'
import { messageNodeId } from '../systems/reading/node-id.ts'
import { contentsOfMessages, contentsOfSummaries } from '../systems/reading/texts.ts'
import { filesOfSummaries } from '../systems/records/files.ts'
import { attachedMessages, type ToolOrFilePart as Part, toolAndFileParts } from '../systems/records/parts.ts'
import { descendantCounts, summaryHeads, summaryRanges, summarySources } from '../systems/records/summaries.ts'
import type { CoverageOfEntries } from './coverage-of-entries.ts'
import { renderSummary } from './summary-xml.ts'
import type { SeenInstead, Window, WindowItem } from './window.ts'

/** A step of the conversation that both provider formats can express. */
export type Turn =
  | { readonly kind: 'system'; readonly text: string }
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly Call[] }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly isError: boolean }

type InputTurn = Extract<Turn, { kind: 'system' | 'user' }>

export type Call = { readonly id: string; readonly name: string; readonly input: string | null }

/**
 * Reads the included items as turns. Providers require that every call is answered before anything else follows. A call
 * that is followed by something else gets a placeholder answer, and the real answer, if it comes later, follows as
 * plain text. So nothing that was rendered before ever changes.
 *
 * What the program attached while a call ran follows the results, as Claude Code sends it. Before they are there, it is
 * left out: no request is sent with an open call.
 */
export function readTurns(
  db: ReadDb,
  items: readonly WindowItem[],
  covered: CoverageOfEntries,
  pruned: Window['prunedTexts'] = new Map(),
): Turn[] {
  const builder = new TurnBuilder()
  const messageIds = items.flatMap((item) => item.messageId ?? [])
  const contents = new Map(contentsOfMessages(db, messageIds))
  const parts = toolAndFileParts(db, messageIds)
  const attached = attachedMessages(db, messageIds)
  const summaries = readSummaries(db, items, covered)
  for (const item of items) {
    if (item.summaryId !== null) builder.say({ kind: 'user', text: summaries.get(item.summaryId) ?? '' })
    else if (item.messageId !== null) {
      const shown = parts.get(item.messageId)?.filter((part) => part.isIgnored === 0) ?? []
      const said = { content: contents.get(item.messageId) ?? '', parts: shown }
      const { content, parts: seen } = withoutPruned(said, pruned.get(item.messageId))
      addMessage(builder, item, content, seen, attached.has(item.messageId) ? 'attach' : 'say')
    }
  }
  return builder.turns
}

type Stored = { readonly content: string; readonly parts: readonly Part[] }

/** Returns a message as its agent sees it after pruning. */
function withoutPruned(said: Stored, seen: ReadonlyMap<number, SeenInstead> | undefined): Stored {
  if (!seen) return said
  const outputs = new Map(said.parts.map((part) => [part.ordinal, part]))
  let { content } = said
  for (const [ordinal, instead] of seen) {
    if ('rest' in instead) {
      content = instead.rest ?? content
      continue
    }
    const part = outputs.get(ordinal)
    const isContent = !part || part.isContent === 1 || (part.output !== null && part.output === content)
    if (isContent) content = instead.text
  }
  const parts = said.parts.flatMap((part): Part[] => {
    const instead = seen.get(part.ordinal)
    if (!instead) return [part]
    return 'rest' in instead ? [] : [{ ...part, output: instead.text }]
  })
  return { content, parts }
}

function addMessage(
  builder: TurnBuilder,
  item: WindowItem,
  content: string,
  parts: readonly Part[],
  say: 'say' | 'attach',
): void {
  const tools = parts.filter((part) => part.callId !== null)
  const files = parts.filter((part) => part.type === 'file').map(fileNote)
  const text = [content, ...files].filter((line) => line.trim() !== '').join('\n')
  if (item.role === 'assistant') {
    const answer = (part: Part): void => builder.result(part, part.output ?? part.error ?? '')
    // One answer may be stored as two messages: the second begins with the result of a call in the first.
    const earlier = tools.filter((part) => isOnlyResult(part) && builder.awaits(part.callId))
    for (const part of earlier) answer(part)
    const own = tools.filter((part) => !earlier.includes(part))
    builder.assistant(text, callsIn(own))
    for (const part of own) if (hasResult(part)) answer(part)
    return
  }
  for (const part of tools) builder.result(part, resultText(part, text, tools.length))
  if (item.role === 'system') builder[say]({ kind: 'system', text })
  else if (item.role !== 'tool') builder[say]({ kind: 'user', text })
  else if (tools.length === 0) builder.say({ kind: 'user', text: text && `[tool result]\n${text}` })
}

const hasResult = ({ output, error }: Part): boolean => output !== null || error !== null
const isOnlyResult = (part: Part): boolean => part.input === null && hasResult(part)

/** Returns the calls of an answer. A result that is stored as a part of its own, behind its call, is no second call. */
function callsIn(tools: readonly Part[]): Call[] {
  const ids = new Set<string | null>()
  return tools.flatMap((part): Call[] => {
    const { callId, name, input } = part
    if (isOnlyResult(part) && ids.has(callId)) return []
    ids.add(callId)
    return [{ id: callId ?? '', name: name ?? 'tool', input }]
  })
}

const fileNote = (part: Part): string =>
  `[file ${part.fileName ?? 'without a name'}${part.fileMime ? `, ${part.fileMime}` : ''}]`

function resultText(part: Part, content: string, results: number): string {
  // A single result has the text of the message. Several results have texts of their own.
  if (part.isContent === 1 || (results === 1 && content !== '')) return content
  return part.output ?? part.text ?? part.error ?? ''
}

/** The newest call that was sent for a stored id, and whether a result of it was sent, too. */
type SentCall = { readonly stored: Call; readonly id: string; isAnswered: boolean }

class TurnBuilder {
  readonly turns: Turn[] = []
  /** By the stored id of the call. */
  readonly #sent = new Map<string, SentCall>()
  readonly #usedIds = new Set<string>()
  /** The last message with calls, as it was stored. */
  #lastStep: { readonly text: string; readonly calls: readonly Call[] } = { text: '', calls: [] }
  /** Calls of the last assistant turn without an answer yet. */
  readonly #open = new Set<string>()
  /** What was attached while calls were open. */
  #attached: InputTurn[] = []

  /** Anything without text is left out, because providers refuse empty blocks. */
  say(turn: InputTurn): void {
    if (turn.text.trim() === '') return
    this.#close()
    this.turns.push(turn)
  }

  /** Says something once all open calls are answered. */
  attach(turn: InputTurn): void {
    if (this.#open.size === 0) this.say(turn)
    else if (turn.text.trim() !== '') this.#attached.push(turn)
  }

  assistant(text: string, calls: readonly Call[]): void {
    const hasText = text.trim() !== ''
    if (this.#isOpenStep(text, calls)) return
    if (calls.length > 0) this.#lastStep = { text, calls }
    const fresh = calls.flatMap((call) => this.#withOwnId(call))
    if (!hasText && fresh.length === 0) return
    // A turn may be stored in several rows: consecutive calls belong to the same turn.
    if (hasText || this.turns.at(-1)?.kind !== 'assistant') this.#close()
    this.turns.push({ kind: 'assistant', text: hasText ? text : '', calls: fresh })
    for (const call of fresh) this.#open.add(call.id)
  }

  /** Whether a call was sent and has no result yet. */
  awaits(callId: string | null): boolean {
    return this.#open.has(this.#sent.get(callId ?? '')?.id ?? '')
  }

  /** Whether a message is the last one with calls, stored again before all of its calls were answered. */
  #isOpenStep(text: string, calls: readonly Call[]): boolean {
    const last = this.#lastStep
    const isAgain = (call: Call): boolean => last.calls.some((other) => isSame(call, other))
    return this.#open.size > 0 && calls.length > 0 && text === last.text && calls.every(isAgain)
  }

  /**
   * Providers refuse an id that stands in two calls. A call that was stored again before its result is sent once. Any
   * other call with a used id is a call of its own, which gets an id of its own.
   */
  #withOwnId(call: Call): Call[] {
    const before = this.#sent.get(call.id)
    if (before && !before.isAnswered && isSame(call, before.stored)) return []
    let id = call.id
    for (let count = 2; this.#usedIds.has(id); count += 1) id = `${call.id}_${count}`
    this.#usedIds.add(id)
    this.#sent.set(call.id, { stored: call, id, isAnswered: false })
    return [{ ...call, id }]
  }

  result(part: Part, text: string): void {
    const sent = this.#sent.get(part.callId ?? '')
    const callId = sent?.id ?? part.callId ?? ''
    if (sent && this.#open.delete(callId)) {
      sent.isAnswered = true
      const isError = part.status === 'error' || (part.error !== null && part.output === null)
      this.turns.push({ kind: 'result', callId, text, isError })
      if (this.#open.size === 0) this.#addAttached()
    } else this.say({ kind: 'user', text: `[late result of ${part.name ?? 'tool'}, call ${callId}]\n${text}` })
  }

  #close(): void {
    for (const callId of this.#open) {
      this.turns.push({
        kind: 'result',
        callId,
        text: '[no result was recorded before the next message]',
        isError: true,
      })
    }
    this.#open.clear()
    this.#addAttached()
  }

  #addAttached(): void {
    this.turns.push(...this.#attached)
    this.#attached = []
  }
}

const isSame = (a: Call, b: Call): boolean => a.id === b.id && a.name === b.name && a.input === b.input

function readSummaries(
  db: ReadDb,
  items: readonly WindowItem[],
  covered: CoverageOfEntries,
): ReadonlyMap<string, string> {
  const ids = items.flatMap((item) => item.summaryId ?? [])
  const sources = Map.groupBy(summarySources(db, ids), ([summaryId]) => summaryId)
  const contents = new Map(contentsOfSummaries(db, ids))
  const ranges = summaryRanges(db, ids)
  const descendants = descendantCounts(db, ids)
  const files = filesOfSummaries(db, ids)
  return new Map(
    summaryHeads(db, ids).map(({ id, kind, depth }) => [
      id,
      renderSummary({
        id,
        kind,
        depth,
        descendantCount: descendants.get(id) ?? null,
        messages: covered.get(id)?.messages ?? 0,
        earliestAtMs: ranges.get(id)?.earliestAtMs ?? null,
        latestAtMs: ranges.get(id)?.latestAtMs ?? null,
        sources: (sources.get(id) ?? []).flatMap(([, messageId, sourceId]) =>
          messageId === null ? (sourceId ?? []) : messageNodeId(messageId),
        ),
        files: files.get(id) ?? [],
        content: contents.get(id) ?? '',
      }),
    ]),
  )
}

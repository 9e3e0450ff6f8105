import { type JsonObject, textAt } from '../../json-value.ts'
import { oneLine } from '../../one-line.ts'
import { type ChainKey, Chains } from './chains.ts'
import { keptIds } from './messages.ts'
import { QueuedInput } from './queued-input.ts'
import { kindOf } from './record.ts'

/**
 * What has to be known of a whole transcript before its first message can be stored: messages never change afterwards,
 * and where a branch was given up or how many blocks an answer has is said only further down.
 */
export class ClaudeCodeSurvey {
  readonly chains: Chains
  readonly queued = new QueuedInput()
  readonly #titles = new Map<string, string>()
  /** Records that a compaction left in the window. */
  readonly #kept = new Set<string>()
  #summaries: { readonly leafUuid: string; readonly title: string }[] = []
  #key: ChainKey | null = null
  #workingDirectory: string | null = null

  constructor(fallbackSession: string) {
    this.chains = new Chains(fallbackSession)
  }

  /** To be called after the last line. */
  finish(): void {
    this.chains.finish()
  }

  /** The conversation that this file is about: that of its last record (earlier ones may be copies from another). */
  get key(): ChainKey | null {
    return this.#key
  }

  get workingDirectory(): string | null {
    return this.#workingDirectory
  }

  /** Given by the person, made by the model, or the first thing that was typed. */
  titleOf(key: ChainKey): string | null {
    const isOwn = key.sessionId === this.#key?.sessionId && key.agentId === null
    const named = isOwn
      ? (this.#titles.get('custom-title') ?? this.#titles.get('ai-title') ?? this.#ownSummary())
      : null
    const title = named ?? this.chains.firstTyped(key)
    return title === null ? null : oneLine(title)
  }

  add(record: JsonObject): void {
    const kind = kindOf(record)
    if (kind === 'unknown') return
    this.#workingDirectory ??= textAt(record, 'cwd')
    this.queued.observe(record)
    this.#noteTitle(record)
    if (record.subtype === 'compact_boundary') for (const uuid of keptIds(record)) this.#kept.add(uuid)
    this.chains.add(record)
    if (kind === 'spoken') this.#key = this.chains.keyOf(record)
  }

  isKept(uuid: string): boolean {
    return this.#kept.has(uuid)
  }

  #noteTitle(record: JsonObject): void {
    const title = textAt(record, 'customTitle') ?? textAt(record, 'aiTitle')
    if (title !== null) this.#titles.set(String(record.type), title)
    const summary = record.type === 'summary' ? textAt(record, 'summary') : null
    if (summary !== null) this.#summaries.push({ leafUuid: textAt(record, 'leafUuid') ?? '', title: summary })
  }

  /** Files also carry titles of other sessions; ours names a record that is here. */
  #ownSummary(): string | null {
    return this.#summaries.findLast(({ leafUuid }) => this.chains.has(leafUuid))?.title ?? null
  }
}

import { type ChainKey, Chains } from './claude-code-chains.ts'
import { kindOf } from './claude-code-record.ts'
import { parseObjects } from './json-objects.ts'
import { isObject, type JsonObject, textAt } from './json-value.ts'
import type { Line } from './line-reader.ts'
import { QueuedInput } from './queued-input.ts'

/** A record with one of these, and of a known type, is one of Claude Code's. */
const identifying = ['sessionId', 'leafUuid', 'messageId', 'uuid'] as const
const LONGEST_TITLE = 80
/** Lines to look at before a file is taken for something else. */
const PATIENCE = 1000

/**
 * What has to be known of a whole transcript before its first message can be stored: messages never change afterwards,
 * and where a branch was given up or how many blocks an answer has is said only further down.
 */
export class ClaudeCodeSurvey {
  readonly chains: Chains
  readonly queued = new QueuedInput()
  readonly #titles = new Map<string, string>()
  #summaries: { readonly leafUuid: string; readonly title: string }[] = []
  #lines = 0
  #recognised = 0
  #key: ChainKey | null = null
  #workingDirectory: string | null = null

  constructor(fallbackSession: string) {
    this.chains = new Chains(fallbackSession)
  }

  add(line: Line): void {
    this.#lines += 1
    if (line.kind === 'too_long') return
    for (const value of parseObjects(line.text).values) {
      if (isObject(value)) this.#addRecord(value)
    }
  }

  /** To be called after the last line. */
  finish(): void {
    this.chains.finish()
  }

  /** Whether the lines so far are those of a Claude Code session. */
  get verdict(): 'is_claude_code' | 'undecided' | 'is_something_else' {
    if (this.#recognised > 0) return 'is_claude_code'
    return this.#lines >= PATIENCE ? 'is_something_else' : 'undecided'
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

  #addRecord(record: JsonObject): void {
    const kind = kindOf(record)
    if (kind === 'unknown') return
    if (identifying.some((field) => typeof record[field] === 'string')) this.#recognised += 1
    this.#workingDirectory ??= textAt(record, 'cwd')
    this.queued.observe(record)
    this.#noteTitle(record)
    this.chains.add(record)
    if (kind === 'spoken') this.#key = this.chains.keyOf(record)
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

/** The first line with text, at most 80 characters of it. */
export function oneLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const characters = [...line.slice(0, 4 * LONGEST_TITLE)]
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
}

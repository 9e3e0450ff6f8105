import { sha256 } from '#core/hashing.ts'
import { countAt, type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'
import { oneLine } from '#core/ingest/transcripts/one-line.ts'
import { type CodexItem, itemOf } from './items.ts'
import type { CodexPlace } from './place.ts'

const digest = (text: string): string => sha256(text.trim(), 'base64').slice(0, 16)

/**
 * Matches words that the program wrote in the name of the user, for files without the events that say what was typed.
 */
const injected =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|recommended_plugins|turn_aborted|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions|subagent_notification|user_shell_command|INSTRUCTIONS)\b|# AGENTS\.md instructions|The following is the Codex agent history)/

export const isContext = (text: string): boolean => injected.test(text)

/** The tokens of a request to the model. Input tokens include those from the cache. */
export type CodexUsage = {
  readonly input: number
  readonly cached: number | null
  readonly cacheWrite: number | null
  readonly output: number | null
}

/** The first reading finds the texts that a person typed, the name of the session, and the usage of its steps. */
export class CodexSurvey {
  readonly #typed = new Set<string>()
  #name: string | null = null
  /** By the line of the last item of the answer. */
  readonly #usage = new Map<number, CodexUsage>()
  #answerLine: number | null = null
  #totalTokens: number | null
  /** Newer versions record the usage of each request. Their counts of tokens repeat it, some of them later. */
  #hasRecords: boolean

  constructor(from: CodexPlace | null) {
    this.#totalTokens = from?.totalTokens ?? null
    this.#hasRecords = from?.hasRecords ?? false
  }

  /** What a reading that goes on from here has to know of the texts and the usage before it. */
  get place(): Pick<CodexPlace, 'hasTyped' | 'hasRecords' | 'totalTokens'> {
    return { hasTyped: this.#typed.size > 0, hasRecords: this.#hasRecords, totalTokens: this.#totalTokens }
  }

  add(record: JsonObject, line: number): void {
    const payload = objectAt(record, 'payload')
    if (record.type === 'response_item' && isAnswer(itemOf(payload))) this.#answerLine = line
    if (record.type === 'token_usage_record') {
      this.#hasRecords = true
      this.#setUsage(objectAt(payload, 'usage'))
    }
    if (record.type !== 'event_msg') return
    if (payload.type === 'token_count' && !this.#hasRecords) this.#addCount(objectAt(payload, 'info'))
    if (payload.type === 'user_message') {
      const text = textAt(payload, 'message')
      if (text === null) return
      this.#typed.add(digest(text))
    } else if (payload.type === 'thread_name_updated') {
      this.#name = textAt(payload, 'thread_name') ?? textAt(payload, 'name') ?? this.#name
    }
  }

  /** The usage of the step that ended with the item of a line, or null when the rollout does not record it. */
  usageAt(line: number): CodexUsage | null {
    return this.#usage.get(line) ?? null
  }

  /** The program repeats the last count when only the limits of the account have changed. */
  #addCount(info: JsonObject): void {
    const total = countAt(objectAt(info, 'total_token_usage'), 'total_tokens')
    const isRepeated = total !== null && total === this.#totalTokens
    this.#totalTokens = total
    if (!isRepeated) this.#setUsage(objectAt(info, 'last_token_usage'))
  }

  #setUsage(usage: JsonObject): void {
    const input = countAt(usage, 'input_tokens')
    if (input === null || this.#answerLine === null) return
    const [cached, cacheWrite] = [countAt(usage, 'cached_input_tokens'), countAt(usage, 'cache_write_input_tokens')]
    this.#usage.set(this.#answerLine, { input, cached, cacheWrite, output: countAt(usage, 'output_tokens') })
  }

  /** The last name that the thread was given. */
  get name(): string | null {
    return this.#name === null ? null : oneLine(this.#name)
  }

  isTyped(text: string): boolean {
    return this.#typed.has(digest(text))
  }

  /** Says whether the text of a user message was not typed by a person. */
  isInjected(text: string): boolean {
    return isContext(text) || (this.#typed.size > 0 && !this.isTyped(text))
  }
}

const isAnswer = (item: CodexItem): boolean =>
  item.kind === 'call' || item.kind === 'thought' || (item.kind === 'said' && item.role === 'assistant')

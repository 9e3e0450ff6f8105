import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export type TranscriptRecord = Record<string, unknown>

export const SESSION = '11111111-2222-4333-8444-555555555555'

/** Writes records of a Claude Code transcript. The parent of each record is the one before it by default. */
export class TranscriptBuilder {
  readonly lines: string[] = []
  lastUuid: string | null = null
  #count = 0
  #sessionId: string

  constructor(sessionId = SESSION) {
    this.#sessionId = sessionId
  }

  /** Any record, with the fields that all of them have. */
  record(fields: TranscriptRecord): string {
    this.#count += 1
    const uuid = String(fields.uuid ?? `${this.#sessionId.slice(0, 8)}-uuid-${this.#count}`)
    const timestamp = new Date(Date.UTC(2026, 2, 2, 9) + this.#count * 1000).toISOString()
    const common = {
      parentUuid: this.lastUuid,
      isSidechain: false,
      sessionId: this.#sessionId,
      cwd: '/work/shop',
      timestamp,
    }
    this.lines.push(JSON.stringify({ ...common, ...fields, uuid }))
    this.lastUuid = uuid
    return uuid
  }

  user(content: unknown, fields: TranscriptRecord = {}): string {
    return this.record({ type: 'user', message: { role: 'user', content }, ...fields })
  }

  /** Adds one streamed record of an answer. */
  answer(
    apiId: string,
    blocks: readonly unknown[],
    fields: TranscriptRecord = {},
    message: TranscriptRecord = {},
  ): string {
    const usage = { input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 5, output_tokens: 7 }
    const body = { id: apiId, role: 'assistant', model: 'claude-test', content: blocks, stop_reason: null, usage }
    return this.record({ type: 'assistant', message: { ...body, ...message }, ...fields })
  }

  result(callId: string, content: unknown, fields: TranscriptRecord = {}): string {
    return this.user([{ type: 'tool_result', tool_use_id: callId, content }], fields)
  }

  /** Adds a line that is not a record of the conversation. */
  raw(line: unknown): void {
    this.lines.push(typeof line === 'string' ? line : JSON.stringify(line))
  }

  /** Writes the lines to a file in a fresh folder. */
  write(name = 'session.jsonl', folder = temporaryFolder()): string {
    const path = join(folder, name)
    writeFileSync(path, this.lines.map((line) => `${line}\n`).join(''))
    return path
  }
}

export const text = (words: string) => ({ type: 'text', text: words })
export const thinking = (words: string) => ({ type: 'thinking', thinking: words, signature: 'c2ln' })
export const call = (id: string, name = 'Bash', input: unknown = { command: 'ls' }) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

import { expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'

type Line = Readonly<Record<string, unknown>>

/** Writes a session of Gemini CLI. A call has an id beside its answer, and none where a compression wrote it again. */
class GeminiSession {
  readonly lines: Line[] = [{ sessionId: 's', projectHash: 'p', startTime: at(0) }]
  #window: Line[] = []
  #count = 0

  user(text: string): void {
    this.#append(this.#record('user', [{ text }]))
  }

  answer(text: string): void {
    this.#append(this.#record('gemini', text, { tokens: { input: 1000, output: 5 } }))
  }

  /** The answer is written before its call ran, and again with the result. */
  call(text: string, id: string, command: string): void {
    const answer = this.#record('gemini', text, { tokens: { input: 1000, output: 5 } })
    const [name, args] = ['run_shell_command', { command }]
    const result = [{ functionResponse: { id, name, response: { output: `output of ${id}` } } }]
    this.lines.push(answer)
    this.#append({ ...answer, toolCalls: [{ id, name, args, status: 'success', result, timestamp: answer.timestamp }] })
  }

  result(id: string): void {
    const response = { output: `output of ${id}` }
    this.#append(this.#record('user', [{ functionResponse: { id, name: 'run_shell_command', response } }]))
  }

  /** Replaces the window by a summary and copies of its last messages. */
  compress(summary: string, kept: number): void {
    const copies = kept === 0 ? [] : this.#window.slice(-kept).map((record) => this.#copyOf(record))
    const snapshot = this.#record('user', [{ text: `<state_snapshot>\n${summary}\n</state_snapshot>` }])
    this.#window = [snapshot, this.#record('gemini', [{ text: 'Got it.' }]), ...copies]
    this.lines.push({ $set: { messages: [...this.#window] } })
  }

  #copyOf({ type, content, toolCalls = [] }: Line): Line {
    const said = typeof content === 'string' ? [{ text: content }] : (content as readonly unknown[])
    const calls = (toolCalls as readonly Line[]).map(({ name, args }) => ({ functionCall: { name, args } }))
    return this.#record(String(type), [...said, ...calls])
  }

  #append(record: Line): void {
    this.lines.push(record)
    this.#window.push(record)
  }

  #record(type: string, content: unknown, more: Line = {}): Line {
    this.#count += 1
    return { id: `record-${this.#count}`, timestamp: at(this.#count), type, content, ...more }
  }
}

const at = (second: number): string => new Date(Date.UTC(2026, 10, 30, 9, 0, second)).toISOString()

/** Compresses twice while a turn goes on, each time before the result of the last call. */
function compressedTwice(): GeminiSession {
  const session = new GeminiSession()
  session.user('an earlier question in words enough to be worth a summary')
  session.answer('an earlier answer')
  session.user('run them')
  session.call('First.', 'call-1', 'npm test')
  session.result('call-1')
  session.call('Once more.', 'call-2', 'npm test')
  session.compress('the first summary', 4)
  session.result('call-2')
  session.call('Now another one.', 'call-3', 'ls')
  session.compress('the second summary', 3)
  session.result('call-3')
  session.answer('Done.')
  return session
}

const WINDOW = [
  'the second summary',
  'Got it.',
  'Once more.',
  'call run_shell_command',
  'output of call-2',
  'Now another one.',
  'call run_shell_command',
  'output of call-3',
  'Done.',
]

it.each([1, 3, 100])(
  'the window after two compressions in a turn has the last summary alone and each result behind its call, when %i lines are imported at a time',
  async (size) => {
    using memory = buildMemory()
    const { lines } = compressedTwice()
    const folder = temporaryFolder()
    for (let until = 1 + size; until < lines.length + size; until += size)
      expect(await importOne(memory.db, writeLines(lines.slice(0, until), 'session.jsonl', folder))).toMatchObject({
        error: null,
        conflicts: 0,
      })
    const said = (words: string): string => /the (?:first|second) summary/.exec(words)?.[0] ?? words
    expect(sentWindow(memory).texts.map(said)).toEqual(WINDOW)
    const path = writeLines(lines, 'session.jsonl', folder)
    expect(await compare(memory.path, path)).toMatchObject({ ok: true })
  },
)

import type { NewMessage, NewPart } from '#core/ingest/new-message.ts'

/** A tool call with its answer. */
export type Call = {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  readonly isError?: boolean
  /** How long the tool ran. */
  readonly seconds?: number
}

export type Said = string | { readonly think?: string; readonly say?: string }

/** Files that the story's tools read, search and really change, so that what is seen later agrees with what was done. */
export class Repository {
  readonly #files: Map<string, string>

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map(Object.entries(files))
  }

  read(path: string, from = 1, lines = 200): Call {
    const text = this.#text(path)
      .split('\n')
      .slice(from - 1, from - 1 + lines)
    const output = text.map((line, index) => `${String(from + index).padStart(5)}→${line}`).join('\n')
    return { tool: 'read', input: from === 1 ? { path } : { path, offset: from, limit: lines }, output }
  }

  grep(pattern: string, folder = 'src'): Call {
    const found = [...this.#files]
      .filter(([path]) => path.startsWith(folder))
      .flatMap(([path, text]) =>
        text
          .split('\n')
          .flatMap((line, index) => (line.includes(pattern) ? [`${path}:${index + 1}:${line.trim()}`] : [])),
      )
    return { tool: 'grep', input: { pattern, path: folder }, output: found.join('\n') || 'No matches found' }
  }

  edit(path: string, from: string, to: string): Call {
    const text = this.#text(path)
    if (!text.includes(from)) throw new Error(`the story edits what is not in ${path}: ${from}`)
    this.#files.set(
      path,
      text.replace(from, () => to),
    )
    const line = text.slice(0, text.indexOf(from)).split('\n').length
    const output = `The file ${path} has been updated (line ${line}, ${from.split('\n').length} → ${to.split('\n').length} lines).`
    return { tool: 'edit', input: { path, old_string: from, new_string: to }, output }
  }

  write(path: string, content: string): Call {
    this.#files.set(path, content)
    return { tool: 'write', input: { path, content }, output: `Wrote ${content.split('\n').length} lines to ${path}.` }
  }

  #text(path: string): string {
    const text = this.#files.get(path)
    if (text === undefined) throw new Error(`the story reads ${path}, which is not there`)
    return text
  }
}

export const bash = (command: string, output: string, more: Partial<Call> = {}): Call => ({
  tool: 'bash',
  input: { command },
  output,
  ...more,
})

/** Collects the messages of one conversation while time goes by. */
export class Session {
  readonly messages: NewMessage[] = []
  readonly #key: string
  #nowMs = 0
  #calls = 0

  constructor(key: string) {
    this.#key = key
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Sets the clock: `'2026-03-02 09:02'`, UTC. */
  at(time: string): void {
    const atMs = Date.parse(`${time.replace(' ', 'T')}:00Z`)
    if (atMs < this.#nowMs) throw new Error(`the story goes back in time at ${time}: it is ${new Date(this.#nowMs)}`)
    this.#nowMs = atMs
  }

  user(content: string, seconds = 90): void {
    this.#add('user', content, [{ type: 'text', text: content }], seconds)
  }

  system(content: string): void {
    this.#add('system', content, [{ type: 'text', text: content }], 1)
  }

  /** What the agent thinks, says and calls in one step, then what the tools answer. */
  agent(said: Said, ...calls: readonly Call[]): void {
    const { think, say } = typeof said === 'string' ? { think: undefined, say: said } : said
    const ids = calls.map(() => this.#nextCall())
    const parts: NewPart[] = [
      ...(think === undefined ? [] : [{ type: 'reasoning', text: think } as const]),
      ...(say === undefined ? [] : [{ type: 'text', text: say } as const]),
      ...calls.map(({ tool, input }, index): NewPart => {
        return { type: 'tool', toolCallId: ids[index], toolName: tool, toolInput: JSON.stringify(input) }
      }),
    ]
    this.#add('assistant', say ?? '', parts, 4 + Math.ceil(((say?.length ?? 0) + (think?.length ?? 0)) / 90))
    calls.forEach((call, index) => {
      this.#answer(call, ids[index] ?? '')
    })
  }

  #answer({ tool, output, isError, seconds }: Call, toolCallId: string): void {
    const toolStatus = isError ? 'error' : 'completed'
    const part: NewPart = { type: 'tool', toolCallId, toolName: tool, toolStatus, toolOutput: output }
    this.#add('tool', output, [part], seconds ?? 1 + (output.length % 3))
  }

  #add(role: NewMessage['role'], content: string, parts: readonly NewPart[], seconds: number): void {
    this.#nowMs += seconds * 1000
    const externalId = `${this.#key}-${this.messages.length}`
    this.messages.push({ externalId, role, content, createdAtMs: this.#nowMs, parts })
  }

  #nextCall(): string {
    this.#calls += 1
    return `call_${this.#key}_${this.#calls}`
  }
}

import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { HookFolder } from '#core/host/hooks/hook-folder.ts'
import { openLcm } from '#core/lcm.ts'
import { packageFolder } from '../builders/built-program.ts'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { compare } from '../builders/coverage.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const hookPath = join(packageFolder, 'bin/lcm-hook.cjs')
const SETTLED_MS = 120_000

/** A computer on which agents start hooks into one memory. */
export class HookedComputer {
  readonly folder = temporaryFolder()
  readonly db = join(this.folder, 'lcm.db')
  readonly hooks = new HookFolder(join(this.folder, 'data'), this.db)
  readonly env = { ...process.env, LCM_DATA_DIR: join(this.folder, 'data'), LCM_CACHE_DIR: join(this.folder, 'cache') }

  /** Starts a hook as an agent does. The promise comes when it has ended. */
  start(agent: string, { id, path }: Session, event = 'Stop') {
    const child = spawn(process.execPath, [hookPath, agent, '--db', this.db], {
      env: this.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify({ session_id: id, transcript_path: path, hook_event_name: event }))
    return { child, ended: new Promise((done) => child.on('close', done)) }
  }

  /** Waits until nothing waits and nobody imports. */
  async settled(): Promise<void> {
    const until = Date.now() + SETTLED_MS
    while (this.hooks.isWaiting || this.hooks.isBeingEmptied) {
      if (Date.now() > until) throw new Error('what hooks have left is not imported')
      await wait(100)
    }
  }

  /** Messages of some transcripts that are not in the memory, and those that are there twice or otherwise. */
  async faults(sessions: readonly Session[]): Promise<number> {
    const lcm = await openLcm(this.db, { readOnly: true })
    const ids = new Map(lcm.stats.listed().map((one) => [one.sessionId, one.conversationId]))
    lcm.close()
    let faults = 0
    for (const { id, path } of sessions) {
      const conversationId = ids.get(id)
      if (conversationId === undefined) {
        const failures = this.hooks.failures().map((failure) => failure.text)
        throw new Error(`session ${id} is not in the memory: ${failures.join(' ')}`)
      }
      const { counts, lostTextCount } = await compare(this.db, path, { conversationId })
      faults += counts.missing + counts.duplicated + counts.differing + counts.extra + lostTextCount
    }
    return faults
  }
}

export type Session = { readonly id: string; readonly path: string }

/** A session of Claude Code that grows turn by turn. */
export class GrowingSession implements Session {
  readonly id: string
  readonly path: string
  readonly #builder: TranscriptBuilder
  #written = 0
  #turns = 0

  constructor(folder: string, number: number) {
    this.id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    this.path = join(folder, `${this.id}.jsonl`)
    this.#builder = new TranscriptBuilder(this.id)
    writeFileSync(this.path, '')
  }

  /** Writes turns: a question, a tool call with its result, and an answer in two records each. */
  turn(count = 1): void {
    const { lines } = this.#builder
    for (let done = 0; done < count; done += 1) {
      const name = `${this.#turns} of ${this.id}`
      this.#turns += 1
      this.#builder.user(`Question ${name}: which quay does ferry ${this.#turns} take? ${'Say why. '.repeat(10)}`)
      const call = { type: 'tool_use', id: `call-${name}`, name: 'Read', input: { file_path: `/work/${name}.ts` } }
      this.#builder.answer(`api-a-${name}`, [call])
      this.#builder.result(`call-${name}`, `The file of ${name}. ${'More of it. '.repeat(20)}`)
      this.#builder.answer(`api-b-${name}`, [text(`I looked at ${name}.`)])
      this.#builder.answer(`api-b-${name}`, [text(`It takes quay ${this.#turns}. ${'So it says. '.repeat(10)}`)])
    }
    appendFileSync(
      this.path,
      lines
        .slice(this.#written)
        .map((line) => `${line}\n`)
        .join(''),
    )
    this.#written = lines.length
  }

  /** Goes back to an earlier moment, as a person who edits a question does: what came after it is given up. */
  rewind(records: number): void {
    const line = JSON.parse(this.#builder.lines.at(-records) ?? '{}') as { uuid: string }
    this.#builder.lastUuid = line.uuid
  }
}

/** A session of Codex that grows turn by turn. */
export class GrowingCodexSession implements Session {
  readonly id: string
  readonly path: string
  #turns = 0

  constructor(folder: string, number: number) {
    this.id = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
    this.path = join(folder, `rollout-2026-03-02T09-00-00-${this.id}.jsonl`)
    writeFileSync(this.path, this.#line('session_meta', { id: this.id, cwd: '/work/shop' }))
  }

  turn(): void {
    this.#turns += 1
    const said = (role: string, words: string) => ({
      ...{ type: 'message', role },
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: words }],
    })
    appendFileSync(
      this.path,
      this.#line('response_item', said('user', `Question ${this.#turns} of ${this.id}.`)) +
        this.#line('response_item', said('assistant', `Answer ${this.#turns} of ${this.id}.`)),
    )
  }

  #line(type: string, payload: object): string {
    const timestamp = new Date(Date.UTC(2026, 2, 2, 9) + this.#turns * 1000).toISOString()
    return `${JSON.stringify({ timestamp, type, payload })}\n`
  }
}

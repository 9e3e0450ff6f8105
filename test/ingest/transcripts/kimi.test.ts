import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told } from '#test/builders/transcript-rows.ts'

type Fields = Readonly<Record<string, unknown>>

/** The log of an agent, whose records are a second apart. */
class Log {
  readonly #records: Fields[] = []

  constructor(...records: readonly Fields[]) {
    this.add('metadata', { protocol_version: '1.5', created_at: Date.UTC(2026, 10, 30) })
    this.#records.push(...records)
  }

  /** The records behind the first one, which every log begins with. */
  get recordsBehindFirst(): readonly Fields[] {
    return this.#records.slice(1)
  }

  get lines(): number {
    return this.#records.length
  }

  get text(): string {
    return this.#records.map((record) => `${JSON.stringify(record)}\n`).join('')
  }

  add(type: string, fields: Fields = {}): this {
    const time = Date.UTC(2026, 10, 30, 0, 0, this.#records.length)
    this.#records.push({ type, ...fields, ...(type === 'metadata' ? {} : { time }) })
    return this
  }

  say(text: string, origin: Fields = { kind: 'user' }): this {
    const id = origin.kind === 'user' ? { id: `msg_${text}` } : {}
    const message = { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin, ...id }
    return this.add('context.append_message', { message })
  }

  event(type: string, fields: Fields): this {
    return this.add('context.append_loop_event', { event: { type, ...fields } })
  }

  begin(uuid: string, text: string): this {
    return this.event('step.begin', { uuid }).event('content.part', { stepUuid: uuid, part: { type: 'text', text } })
  }

  call(uuid: string, toolCallId: string, name = 'Bash'): this {
    return this.event('tool.call', { stepUuid: uuid, toolCallId, name, args: { command: 'ls' } })
  }

  result(toolCallId: string, output: unknown, more: Fields = {}): this {
    return this.event('tool.result', { toolCallId, result: { output, ...more } })
  }

  end(uuid: string, finishReason = 'end_turn'): this {
    return this.event('step.end', { uuid, finishReason })
  }

  answer(uuid: string, text = `answer ${uuid}`): this {
    return this.begin(uuid, text).end(uuid)
  }

  turn(word: string): this {
    return this.say(word).answer(word)
  }

  compact(summary: string, kept: number): this {
    return this.add('context.apply_compaction', { summary, compactedCount: 2, keptUserMessageCount: kept })
  }

  /** Goes back to behind a line, as the program writes it: a branch, and twice that turns were taken back. */
  back(line: number, branch: string, base = 'main'): this {
    const legacyUndoLine = this.lines + 2
    this.add('agent.switched', { branch, base: { branch: base, line }, turns: 1, legacyUndoLine })
    return this.add('context.undo', { count: 1 }).add('context.undone', { turns: 1 })
  }
}

type Session = { readonly state?: Fields; readonly agents: Readonly<Record<string, Log>> }

/** Writes the folder of a session. */
function write(folder: string, session: string, { state = {}, agents }: Session): void {
  for (const [agent, log] of Object.entries(agents)) {
    mkdirSync(join(folder, session, 'agents', agent), { recursive: true })
    writeFileSync(join(folder, session, 'agents', agent, 'wire.jsonl'), log.text)
  }
  writeFileSync(join(folder, session, 'state.json'), JSON.stringify(state))
}

const sent = (memory: TestMemory, session?: string): string[] =>
  sentWindow(memory, session).texts.map((text) => /<content>\n?(.*?)\n?<\/content>/s.exec(text)?.[1] ?? text)

async function windowOf(log: Log): Promise<string[]> {
  using memory = buildMemory()
  const folder = temporaryFolder()
  write(folder, 's', { agents: { main: log } })
  expect((await runImport(memory.db, [folder])).files).toMatchObject([{ format: 'kimi-code', skippedCount: 0 }])
  expect(await findings(memory.path)).toEqual([])
  return sent(memory)
}

describe('a log of Kimi Code', () => {
  it('gives results as the model is sent them: with their time, a failure and a note, in the order of the calls', async () => {
    const log = new Log().say('go').begin('a', 'I look.').call('a', 'one').call('a', 'two', 'Read').call('a', 'three')
    log
      .result('two', 'gone', { isError: true, durationMs: 5 })
      .result('three', ' ')
      .result('one', 'x\n', { durationMs: 1250, note: 'More follows.' })
    expect(await windowOf(log.end('a', 'tool_use'))).toEqual([
      'go',
      'I look.',
      'call Bash',
      'call Read',
      'call Bash',
      'Wall time: 1.250 seconds\nx\n\nMore follows.',
      '<system>ERROR: Tool execution failed.</system>\ngone',
      '<system>Tool output is empty.</system>',
    ])
  })

  it('reads answers and results that an agent was given as messages at its beginning', async () => {
    const copied = (message: Fields): Fields => ({ message: { content: [], toolCalls: [], ...message } })
    const call = { type: 'function', id: 'c', name: 'Bash', arguments: '{"command":"ls"}' }
    const log = new Log().say('go').add('context.append_message', copied({ role: 'assistant', toolCalls: [call] }))
    const content = [{ type: 'text', text: 'x' }]
    log.add('context.append_message', copied({ role: 'tool', content, toolCallId: 'c', durationMs: 2000 }))
    expect(await windowOf(log)).toEqual(['go', 'call Bash', 'Wall time: 2.000 seconds\nx'])
  })

  it('puts what came while calls were running behind their results', async () => {
    const log = new Log().say('go').begin('a', 'I look.').call('a', 'one').say('note', { kind: 'injection' })
    expect(await windowOf(log.result('one', 'x').end('a'))).toEqual(['go', 'I look.', 'call Bash', 'x', 'note'])
  })

  it('keeps what an interrupted answer had said, and leaves out an answer without a word', async () => {
    const log = new Log().say('one').event('step.begin', { uuid: 'a' }).end('a', 'interrupted').say('two')
    expect(await windowOf(log.begin('b', 'Half').end('b', 'interrupted'))).toEqual(['one', 'two', 'Half'])
  })

  it('counts what a request used when its calls were interrupted, and what a summary used', async () => {
    using memory = buildMemory()
    const usage = { inputOther: 40, output: 9, inputCacheRead: 200, inputCacheCreation: 10 }
    const log = new Log().say('one').event('step.begin', { uuid: 'a' })
    log.add('usage.record', { model: 'm', usage, usageScope: 'turn' }).call('a', 'c').result('c', 'cut')
    log.end('a', 'interrupted').add('usage.record', { model: 'm', usage, usageScope: 'session' }).compact('said', 1)
    const folder = temporaryFolder()
    write(folder, 's', { agents: { main: log } })
    await runImport(memory.db, [folder])
    const sums = 'SELECT sum(step_tokens_in) AS input, sum(step_tokens_out) AS output FROM message_parts'
    expect(memory.db.get(sums)).toEqual({ input: 500, output: 18 })
  })

  it('keeps the prompts of the person over a compaction, of many the first and the last', async () => {
    const log = new Log().turn('one').say('note', { kind: 'injection' }).turn('two').compact('what was said', 2)
    expect(await windowOf(log.turn('three'))).toEqual(['one', 'what was said', 'two', 'three', 'answer three'])
    const long = new Log().turn('one').turn('two').turn('three')
    long.add('context.apply_compaction', {
      contextSummary: 'what was said',
      compactedCount: 6,
      keptUserMessageCount: 2,
      keptHeadUserMessageCount: 1,
    })
    expect(await windowOf(long)).toEqual(['one', 'what was said', 'three'])
  })

  it('keeps the end of the window over a compaction of an early version, and goes back without branches', async () => {
    const log = new Log().turn('one').turn('two').add('context.apply_compaction', { summary: 'all', compactedCount: 2 })
    expect(await windowOf(log)).toEqual(['all', 'two', 'answer two'])
    expect(await windowOf(log.turn('three').add('context.undo', { count: 2 }))).toEqual(['all'])
    expect(await windowOf(new Log().turn('one').add('context.clear').turn('two'))).toEqual(['two', 'answer two'])
  })

  it('takes turns back, also a second time, and keeps what the program had put in behind them', async () => {
    const log = new Log().turn('one')
    const behindOne = log.lines
    log.turn('two').say('date', { kind: 'injection' }).back(behindOne, 'b1').turn('three')
    expect(await windowOf(log)).toEqual(['one', 'answer one', 'date', 'three', 'answer three'])
    expect(await windowOf(log.back(behindOne, 'b2').turn('four'))).toEqual([
      'one',
      'answer one',
      'date',
      'four',
      'answer four',
    ])
  })

  it('withdraws a turn that an earlier import had when it is taken back', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const log = new Log().turn('one')
    const behindOne = log.lines
    write(folder, 's', { agents: { main: log.turn('two') } })
    await runImport(memory.db, [folder])
    write(folder, 's', { agents: { main: log.back(behindOne, 'b1') } })
    await runImport(memory.db, [folder])
    expect(sent(memory)).toEqual(['one', 'answer one'])
    expect(told(memory)).toHaveLength(4)
  })

  it('is sent the newest prompt of the program', async () => {
    const log = new Log().add('profile.bind', { systemPrompt: 'old' }).turn('one')
    log.add('config.update', { systemPrompt: 'new' }).add('profile.bind', { systemPrompt: 'new' })
    expect(await windowOf(log.compact('said', 1))).toEqual(['said', 'one', '[system]\nnew'])
  })
})

describe('a session of Kimi Code', () => {
  it('has sub-agents as its children, and the title and folder of its state', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const state = { title: 'Ports', cwd: '/home/me/shop', agents: { 'agent-0': { parentAgentId: 'main' } } }
    write(folder, 's', { state, agents: { main: new Log().turn('one'), 'agent-0': new Log().turn('look') } })
    await runImport(memory.db, [folder])
    const rows = memory.db.all('SELECT session_id AS id, title, parent_conversation_id AS parent FROM conversations')
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({ id: 's', title: 'Ports', parent: null })
    const [main] = memory.db.column<number>("SELECT conversation_id FROM conversations WHERE session_id = 's'")
    expect(rows).toContainEqual({ id: 's/agent-0', title: 'look', parent: main })
  })

  it.each([
    ['s', 'fork', 'again'],
    ['again', 'fork', 's'],
  ])('stores what its forks repeat once, also of a sub-agent, when %s is imported first', async (...order) => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const begun = new Log().add('profile.bind', { systemPrompt: 'help' })
    const agents = { main: begun.turn('one').turn('two'), 'agent-0': new Log().turn('look') }
    const copy = (log: Log): Log => new Log(...log.recordsBehindFirst).add('forked')
    write(folder, 's', { agents })
    const fork = { main: copy(agents.main).turn('three'), 'agent-0': copy(agents['agent-0']) }
    write(folder, 'fork', { state: { forkedFrom: 's' }, agents: fork })
    const again = { main: copy(fork.main).turn('four'), 'agent-0': copy(fork['agent-0']) }
    write(folder, 'again', { state: { forkedFrom: 'fork' }, agents: again })
    for (const session of order) await runImport(memory.db, [join(folder, session)])
    const answers = ['one', 'two', 'look', 'three', 'four'].map((word) => `answer ${word}`)
    expect(
      told(memory)
        .filter((text) => text.startsWith('assistant'))
        .sort(),
    ).toEqual(answers.map((text) => `assistant: ${text}`).sort())
    expect(sent(memory, 'again').filter((text) => text.startsWith('answer'))).toEqual(
      ['one', 'two', 'three', 'four'].map((word) => `answer ${word}`),
    )
    expect(sent(memory, 's')).toEqual(['help', 'one', 'answer one', 'two', 'answer two'])
    expect(told(memory).filter((text) => text.startsWith('system'))).toHaveLength(1)
    expect(await findings(memory.path)).toEqual([])
  })

  it('goes on where its last import ended, and has read the same at the end as when it is read at once', async () => {
    const path = (folder: string): string => join(folder, 's/agents/main/wire.jsonl')
    const log = new Log().add('profile.bind', { systemPrompt: 'help' })
    using once = buildMemory()
    const folder = temporaryFolder()
    using memory = buildMemory()
    const steps = [
      () => log.turn('one'),
      () => log.turn('two'),
      () => log.say('go').begin('a', 'I look.').call('a', 'c'),
      () => log.result('c', 'x').end('a'),
      () => log.compact('said', 3),
      () => log.turn('three'),
      () => log.back(log.lines - 4, 'b1'),
    ]
    const went: boolean[] = []
    for (const step of steps) {
      step()
      write(folder, 's', { agents: { main: log } })
      const { files } = await runImport(memory.db, [folder], { goesOn: true })
      went.push(files[0]?.added !== 0 && files[0]?.alreadyThere === 0)
    }
    await importOne(once.db, path(folder))
    expect(went).toEqual([true, true, false, false, false, true, false])
    expect(sent(memory)).toEqual(sent(once))
    expect(told(memory)).toEqual(told(once))
  })
})

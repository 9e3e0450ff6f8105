import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { openCodeDb, START } from '#test/builders/opencode-db.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { told } from '#test/builders/transcript-rows.ts'

const said = Array.from({ length: 12 }, (_, at) => `text ${at} ${'in many words '.repeat(20)}`.trim())

type Block = Readonly<Record<string, unknown>>

/** A block of the plugin, which the model asked for in the message `asked`. */
const block = (id: number, asked: number, messages: readonly number[], summary: string, more: Block = {}): Block => ({
  blockId: id,
  active: true,
  deactivatedByUser: false,
  compressMessageId: `msg_ses_1_${asked}`,
  consumedBlockIds: [],
  effectiveMessageIds: messages.map((at) => `msg_ses_1_${at}`),
  createdAt: START + 1000 * id,
  summary: `[Compressed conversation section]\n${summary}\n\n\n<dcp-message-id>b${id}</dcp-message-id>`,
  ...more,
})

function writeState(database: string, blocks: readonly Block[], tools: Readonly<Record<string, number>> = {}): void {
  const folder = join(dirname(database), 'storage', 'plugin', 'dcp')
  mkdirSync(folder, { recursive: true })
  const blocksById = Object.fromEntries(blocks.map((one) => [String(one.blockId), one]))
  const state = { prune: { tools, messages: { blocksById } }, lastUpdated: new Date(START + 60_000).toISOString() }
  writeFileSync(join(folder, 'ses_1.json'), JSON.stringify(state, null, 2))
}

function change(database: string, sql: string): void {
  const db = new DatabaseSync(database)
  db.exec(sql)
  db.close()
}

/** The beginnings of what the model is sent. */
const sent = (memory: ReturnType<typeof buildMemory>, session?: string): string[] =>
  sentWindow(memory, session).texts.map(
    (text) => /summary of \w+|text \d+|the output|\[Output removed.*/.exec(text)?.[0] ?? text,
  )

const texts = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `text ${from + at}`)

const one = block(1, 4, [0, 1, 2], 'summary of one')
const two = block(2, 8, [0, 1, 2, 3, 4, 5], 'summary of two', { consumedBlockIds: [1] })

describe('blocks of the plugin Dynamic Context Pruning', () => {
  it('stand in the window in the place of their messages, and the call that asked for them stays', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    writeState(path, [one])
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual(['summary of one', ...texts(3, 11)])
    expect(memory.db.column('SELECT content FROM summaries')).toEqual(['summary of one'])
    expect(told(memory)).toHaveLength(said.length)
    expect(await findings(memory.path)).toEqual([])
  })

  it('take no longer where many spaces stand in a summary than where other text does', { timeout: 8000 }, async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    const summary = `summary of one${' '.repeat(80_000)}.`
    writeState(path, [block(1, 4, [0, 1, 2], summary)])
    await importOne(memory.db, path)
    expect(memory.db.column('SELECT content FROM summaries')).toEqual([summary])
  })

  it('become sources of a later block that holds them, also when that was made after a first import', async () => {
    using atOnce = buildMemory()
    using inSteps = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    writeState(path, [one])
    await importOne(inSteps.db, path)
    writeState(path, [{ ...one, active: false }, two])
    for (const memory of [atOnce, inSteps]) {
      await importOne(memory.db, path)
      expect(sent(memory)).toEqual(['summary of two', ...texts(6, 11)])
      expect(memory.db.column('SELECT source_summary_id FROM summary_sources')).toHaveLength(2)
      expect(await findings(memory.path)).toEqual([])
    }
  })

  it('leave an earlier block in the window that they do not hold', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    writeState(path, [one, block(2, 8, [4, 5], 'summary of two')])
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual(['summary of one', 'text 3', 'summary of two', ...texts(6, 11)])
  })

  it('give back what they replaced when the person takes them back, and replace it once more afterwards', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    for (const isBack of [false, true, false, true]) {
      writeState(path, [one, { ...two, active: !isBack, deactivatedByUser: isBack }])
      await importOne(memory.db, path)
      const window = isBack ? ['summary of one', ...texts(3, 11)] : ['summary of two', ...texts(6, 11)]
      expect(sent(memory)).toEqual(window)
    }
    expect(await findings(memory.path)).toEqual([])
  })

  it('are gone with the message that asked for them', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    writeState(path, [one])
    await importOne(memory.db, path)
    change(path, "DELETE FROM message WHERE id = 'msg_ses_1_4'; DELETE FROM part WHERE message_id = 'msg_ses_1_4'")
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual([...texts(0, 3), ...texts(5, 11)])
  })

  it('do not hold in a fork, which is sent all messages again', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    openCodeDb([{ id: 'ses_2', said: said.slice(0, 10) }], dirname(path))
    change(path, `UPDATE session SET time_created = ${START + 100}, title = 'About (fork #1)' WHERE id = 'ses_2'`)
    writeState(path, [one, two])
    await importOne(memory.db, path)
    expect(sent(memory, 'ses_1')).toEqual(['summary of two', ...texts(6, 11)])
    expect(sent(memory, 'ses_2')).toEqual(texts(0, 9))
  })

  it('are none where the folder of the plugin is a file', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: said.slice(0, 2) }])
    mkdirSync(join(dirname(path), 'storage', 'plugin'), { recursive: true })
    writeFileSync(join(dirname(path), 'storage', 'plugin', 'dcp'), '')
    expect(await importOne(memory.db, path)).toMatchObject({ error: null, skippedCount: 0 })
    expect(sent(memory)).toEqual(texts(0, 1))
  })

  it('are left out and reported when their file cannot be read', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said }])
    writeState(path, [one])
    writeFileSync(join(dirname(path), 'storage', 'plugin', 'dcp', 'ses_1.json'), '{"prune": {')
    expect(await importOne(memory.db, path)).toMatchObject({ added: said.length, skippedCount: 1, error: null })
    expect(sent(memory)).toEqual(texts(0, 11))
  })
})

describe('outputs that the plugin removed without a summary', () => {
  it('are replaced in the window by its words, those of an edit are not', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: said.slice(0, 3) }])
    const time = { start: START + 1, end: START + 1 }
    const state = { status: 'completed', input: {}, output: `the output ${'of a call '.repeat(40)}`, time }
    for (const tool of ['bash', 'edit']) {
      const part = JSON.stringify({ type: 'tool', callID: `call_${tool}`, tool, state })
      change(path, `INSERT INTO part VALUES ('prt_${tool}', 'msg_ses_1_1', 'ses_1', '${part}')`)
    }
    writeState(path, [], { call_bash: 100, call_edit: 100 })
    await importOne(memory.db, path)
    expect(sent(memory).slice(4, 6)).toEqual([
      '[Output removed to save context - information superseded or no longer needed]',
      'the output',
    ])
    expect(told(memory).filter((text) => text.startsWith('tool: the output'))).toHaveLength(2)
  })
})

describe('what a plugin tells the person alone', () => {
  it('is kept and not in the window', async () => {
    using memory = buildMemory()
    const path = openCodeDb([{ id: 'ses_1', said: said.slice(0, 3) }])
    change(path, `UPDATE part SET data = json_set(data, '$.ignored', json('true')) WHERE id = 'prt_ses_1_2'`)
    await importOne(memory.db, path)
    expect(told(memory)).toHaveLength(3)
    expect(sent(memory)).toEqual(texts(0, 1))
  })
})

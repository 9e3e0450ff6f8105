import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { GrepRequest } from '#core/contract/retrieval.ts'
import { leaveFilesAlone } from '#test/builders/files-left-alone.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { ClawFile } from './claw-file.ts'
import { Stage, updateElsewhere } from './stage.ts'

leaveFilesAlone()

const WORDS = [
  'walrus',
  'Grüße',
  'GRUSSE',
  'sqlite-wal-checkpoint',
  'foo_bar::baz',
  'C++',
  '検索エンジン',
  '検索',
  'émigré',
  '🦭 seal',
  'שלום',
  '/var/log/lcm.db',
  'a\u0000b',
]
const QUERIES: readonly GrepRequest[] = [
  ...WORDS.map((query) => ({ query, match: 'all' as const })),
  ...['検索エ', 'sqlite-w', 'Grüße', 'C++'].map((query) => ({ query, mode: 'literal' as const })),
  { query: 'wal(rus|-check)', mode: 'regex' },
  { query: '検.エ', mode: 'regex' },
  { query: 'walrus émigré', match: 'any' },
  { query: 'wal* -grüße', match: 'all' },
  { query: '"walrus grüße" OR seal', match: 'all' },
]

const text = fc.array(fc.constantFrom(...WORDS, 'the', 'of', 'x'), { maxLength: 6 }).map((words) => words.join(' '))
const pick = fc.nat({ max: 1000 })
type Edit = { readonly kind: string; readonly text: string; readonly pick: number }
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(
    'add',
    'add',
    'call',
    'part',
    'edit',
    'edit',
    'same length',
    'delete',
    'sum',
    'resum',
    'unsum',
    'fold',
    'update',
    'update',
    'begin update',
  ),
  text,
  pick,
})

function apply(file: ClawFile, { kind, text: words, pick: at }: Edit): void {
  const message = `(SELECT message_id FROM messages ORDER BY message_id LIMIT 1 OFFSET ${at} % (SELECT max(1, count(*)) FROM messages))`
  const summary = `(SELECT rowid FROM summaries ORDER BY rowid LIMIT 1 OFFSET ${at} % (SELECT max(1, count(*)) FROM summaries))`
  const run = (sql: string, ...values: string[]): unknown => file.db.prepare(sql).run(...values)
  if (kind === 'add') file.add(words)
  if (kind === 'call') file.add('', { input: words, output: 'of the walrus' })
  if (kind === 'part') {
    const id = file.db.prepare(`SELECT ${message}`).pluck().get()
    if (typeof id === 'number') file.addPart(id, { thought: words })
  }
  if (kind === 'edit') run(`UPDATE messages SET content = ? WHERE message_id = ${message}`, words)
  if (kind === 'same length')
    run(`UPDATE messages SET content = replace(content, 'walrus', 'seals!') WHERE message_id = ${message}`)
  if (kind === 'delete') run(`DELETE FROM messages WHERE message_id = ${message}`)
  if (kind === 'sum') file.summarize(words)
  if (kind === 'resum') run(`UPDATE summaries SET content = ? WHERE rowid = ${summary}`, words)
  if (kind === 'unsum') run(`DELETE FROM summaries WHERE rowid = ${summary}`)
  if (kind === 'fold') file.db.pragma('wal_checkpoint(TRUNCATE)')
}

const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0).reverse()) one.close()
})
const opened = <T extends { close(): void }>(one: T): T => {
  open.push(one)
  return one
}

describe('a search with a side index', () => {
  it('finds at every moment what reading every text finds, whatever another program writes to the file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 12 }), fc.array(edit, { maxLength: 14 }), async (texts, edits) => {
        const cacheDir = temporaryFolder()
        const file = new ClawFile()
        for (const words of texts) file.add(words)
        const window = await Stage.open(file.path, cacheDir)
        try {
          for (const one of edits) {
            apply(file, one)
            if (one.kind === 'update') {
              expect(await updateElsewhere(file.path, cacheDir)).toMatchObject({ outcome: 'ready' })
              expect(window.isCurrent).toBe(true)
            }
            if (one.kind === 'begin update') await updateElsewhere(file.path, cacheDir, { steps: one.pick % 3 })
            for (const query of QUERIES) {
              expect((await window.grep(query)).ids, JSON.stringify(query)).toEqual((await window.scan(query)).ids)
            }
          }
        } finally {
          window.close()
          file.close()
        }
      }),
      { numRuns: runs(8) },
    )
  })

  it.each([
    ['a message', `UPDATE messages SET content = 'an oyster' WHERE message_id = 7`],
    [
      'the arguments of a tool',
      `UPDATE message_parts SET tool_input = 'an oyster' WHERE message_id = 8 AND ordinal = 0`,
    ],
    ['the result of a tool', `UPDATE message_parts SET tool_output = 'an oyster' WHERE message_id = 8 AND ordinal = 0`],
    ['a thought', `UPDATE message_parts SET text_content = 'an oyster' WHERE message_id = 9`],
    ['a part that was none of the conversation', `UPDATE message_parts SET is_synthetic = 0 WHERE message_id = 11`],
    ['a part that moves to another message', `UPDATE message_parts SET message_id = 12 WHERE message_id = 10`],
    ['a summary', `UPDATE summaries SET content = 'an oyster'`],
    ['a row number', `UPDATE messages SET message_id = 100000 WHERE message_id = 10`],
  ])('notices a changed %s among unchanged texts', async (_, sql) => {
    const cacheDir = temporaryFolder()
    const file = opened(new ClawFile())
    for (let n = 1; n <= 600; n += 1) file.add(`walrus ${n}`)
    file.addPart(8, { input: 'a', output: 'b' })
    file.addPart(9, { thought: 'c' })
    file.addPart(10, { output: 'an oyster' })
    file.addPart(11, { output: 'an oyster' })
    file.db.exec('UPDATE message_parts SET is_synthetic = 1 WHERE message_id = 11')
    file.summarize('d')
    const window = opened(await Stage.open(file.path, cacheDir))
    expect(await window.update()).toMatchObject({ outcome: 'ready' })
    const before = await window.grep({ query: 'oyster' })
    file.db.exec(sql)
    expect(await window.update()).toMatchObject({ outcome: 'ready' })
    expect(window.isCurrent).toBe(true)
    const after = await window.grep({ query: 'oyster' })
    expect(after.ids).toEqual((await window.scan({ query: 'oyster' })).ids)
    expect(after.ids).not.toEqual(before.ids)
  })

  it('names the source of an answer', async () => {
    const cacheDir = temporaryFolder()
    const file = opened(new ClawFile())
    file.add('a walrus')
    const window = opened(await Stage.open(file.path, cacheDir))
    const notes = async (query: string): Promise<string> => (await window.grep({ query })).notes.join(' ')
    expect(await notes('walrus')).toContain('no index that can be relied on')
    await updateElsewhere(file.path, cacheDir)
    expect(await notes('walrus')).toContain('the search index that this app keeps')
    expect(await notes('wa"')).not.toContain('no index')
    file.add('another')
    expect(await notes('walrus')).toContain('changed since its search index was brought up to date')
  })

  it('changes neither the file nor its folder, at rest and beside a writer', async () => {
    const cacheDir = temporaryFolder()
    const file = new ClawFile()
    for (let n = 0; n < 50; n += 1) file.add(`walrus ${n}`)
    const look = async (): Promise<void> => {
      const before = folderState(dirname(file.path))
      const window = await Stage.open(file.path, cacheDir)
      expect(await window.update()).toMatchObject({ outcome: 'ready', indexedRows: 50 })
      expect((await window.grep({ query: 'walrus' })).ids).toHaveLength(50)
      window.close()
      expect(folderState(dirname(file.path))).toEqual(before)
    }
    await look()
    file.close()
    await look()
  })

  it('works for a file beside which a reader left an empty log', async () => {
    const cacheDir = temporaryFolder()
    const file = new ClawFile()
    file.add('walrus')
    file.close()
    const reader = new Database(file.path, { readonly: true })
    reader.prepare('SELECT * FROM messages').all()
    reader.close()
    expect(readdirSync(dirname(file.path))).toEqual(['lcm.db', 'lcm.db-shm', 'lcm.db-wal'])
    expect(await updateElsewhere(file.path, cacheDir)).toMatchObject({ outcome: 'ready' })
    const window = opened(await Stage.open(file.path, cacheDir))
    expect([window.memory.info.access, window.isCurrent]).toEqual(['at_rest', true])
    const agent = new Database(file.path)
    open.push(agent)
    agent.exec(`UPDATE messages SET content = 'seal'`)
    expect(opened(await Stage.open(file.path, cacheDir)).isCurrent).toBe(false)
  })

  it('is used by everybody who opens the same content later, and only by them', async () => {
    const cacheDir = temporaryFolder()
    const file = new ClawFile()
    file.add('walrus')
    file.close()
    await updateElsewhere(file.path, cacheDir)
    expect(opened(await Stage.open(file.path, cacheDir)).isCurrent).toBe(true)
    const other = new ClawFile()
    other.add('seal')
    other.close()
    expect(opened(await Stage.open(other.path, cacheDir)).isCurrent).toBe(false)
  })
})

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { ledgerContentHash, rebuildMemory } from '#core/ledger/rebuild-memory.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { runToEnd } from '#core/yielding.ts'
import { permissionOf } from '#test/builders/ledgers.ts'
import type { TestMemory } from '#test/builders/memory.ts'
import { coveredMessages, expectLossless, expectSoundGraph } from '#test/compaction/invariants.ts'
import { NOW_MS } from '#test/compaction/run-compaction.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { compactedMemory } from '../repair/compacted.ts'
import { apply, canonical, fired, isIndexSound, runOn, scan } from '../repair/doctor.ts'
import { operate, preview } from './operations.ts'

let memory: TestMemory
beforeEach(async () => {
  memory = await compactedMemory({ seed: 5, messages: 90 })
})
afterEach(() => memory.close())

const top = (conversation = 1): string =>
  memory.db.value<string>(
    'SELECT summary_id FROM context_items WHERE conversation_id = :c AND summary_id IS NOT NULL ORDER BY ordinal LIMIT 1',
    { c: conversation },
  ) ?? ''
const leafUnder = (id: string): string => {
  const source = memory.db.value<string>(
    'SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal',
    {
      id,
    },
  )
  return source === undefined ? id : leafUnder(source)
}
const rowsOf = (): unknown => [
  memory.db.all('SELECT * FROM summaries ORDER BY summary_rowid'),
  memory.db.all('SELECT * FROM summary_sources ORDER BY 1, 2'),
  memory.db.all('SELECT * FROM context_items ORDER BY 1, 2'),
]

describe('a rewrite', () => {
  it('is previewed with old and new text side by side, and writes nothing', async () => {
    const before = rowsOf()
    const shown = await preview(memory.path, { kind: 'rewrite', id: top(), targetTokens: 30 })
    const [node] = shown.nodes
    expect(node?.before.text).toBe(
      memory.db.value('SELECT content FROM summaries WHERE summary_id = :id', { id: top() }),
    )
    expect(node?.after.tokens).toBeLessThan(node?.sourceTokens ?? 0)
    const texts = (kinds: readonly string[]) =>
      node?.diff
        .filter((line) => kinds.includes(line.kind))
        .map((line) => line.text)
        .join('\n')
    expect(texts(['same', 'removed'])).toBe(node?.before.text)
    expect(texts(['same', 'added'])).toBe(node?.after.text)
    expect(rowsOf()).toEqual(before)
  })

  it('writes exactly the previewed text, and keeps id, links and place', async () => {
    const id = top()
    const shown = await preview(memory.path, { kind: 'rewrite', id, targetTokens: 30 })
    const links = memory.db.all('SELECT * FROM summary_sources WHERE summary_id = :id', { id })
    const { operation, previewId, nodes } = shown
    const done = await runOn(memory.path, { kind: 'surgery', operation, previewId, nodes })
    expect(done.rolledBack).toBeNull()
    const row = memory.db.get(
      'SELECT content, token_count AS tokens, summary_hash AS hash FROM summaries WHERE summary_id = :id',
      { id },
    )
    const hashes = memory.db.column<string>(
      'SELECT s.summary_hash FROM summary_sources AS e JOIN summaries AS s ON s.summary_id = e.source_summary_id WHERE e.summary_id = :id ORDER BY e.ordinal',
      { id },
    )
    const text = nodes[0]?.after.text ?? ''
    const hash = createHash('sha256')
      .update(`${hashes.join(',')}|${text}`, 'utf8')
      .digest('hex')
    expect(row).toEqual({ content: text, tokens: nodes[0]?.after.tokens, hash })
    expect(memory.db.all('SELECT * FROM summary_sources WHERE summary_id = :id', { id })).toEqual(links)
    expect(memory.windowItems(1)[0]).toBe(id)
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('updates the hashes of all dependents, and warns about what was made from the old text', async () => {
    const above = memory.db.value<string>('SELECT summary_id FROM summary_sources ORDER BY 1') ?? ''
    const leaf = leafUnder(above)
    const shown = await preview(memory.path, { kind: 'rewrite', id: leaf, targetTokens: 8 })
    expect(shown.warnings.join()).toMatch(/made from the old text/)
    await operate(memory.path, { kind: 'rewrite', id: leaf, targetTokens: 8 })
    expect(fired(await scan(memory.path))).toEqual([])
    expectSoundGraph(memory.db)
  })

  it('rewrites a subtree from the leaves up', async () => {
    const shown = await preview(memory.path, { kind: 'rewrite', id: top(), subtree: true, targetTokens: 25 })
    const depths = shown.nodes.map((node) => node.depth)
    expect(depths).toEqual(depths.toSorted((a, b) => a - b))
    expect(shown.nodes.at(-1)?.id).toBe(top())
    const done = await runOn(memory.path, {
      kind: 'surgery',
      operation: shown.operation,
      previewId: shown.previewId,
      nodes: shown.nodes,
    })
    expect(done.rolledBack).toBeNull()
    expect(fired(await scan(memory.path))).toEqual([])
    expectSoundGraph(memory.db)
  })

  it('is refused for a text that was not previewed', async () => {
    const { operation, previewId, nodes } = await preview(memory.path, { kind: 'rewrite', id: top(), targetTokens: 30 })
    const forged = nodes.map((node) => ({ ...node, after: { ...node.after, text: 'Something else.', tokens: 4 } }))
    await expect(runOn(memory.path, { kind: 'surgery', operation, previewId, nodes: forged })).rejects.toMatchObject({
      code: 'plan_stale',
    })
    const longer = nodes.map((node) => ({ ...node, after: { ...node.after, text: 'word '.repeat(9000) } }))
    await expect(runOn(memory.path, { kind: 'surgery', operation, nodes: longer })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('is refused when the text or its sources changed meanwhile', async () => {
    const { operation, previewId, nodes } = await preview(memory.path, { kind: 'rewrite', id: top(), targetTokens: 30 })
    await operate(memory.path, { kind: 'rewrite', id: top(), targetTokens: 15 })
    const before = rowsOf()
    await expect(runOn(memory.path, { kind: 'surgery', operation, previewId, nodes })).rejects.toMatchObject({
      code: 'plan_stale',
    })
    expect(rowsOf()).toEqual(before)
  })

  it('takes a text that was written by hand, with preview, backup and undo', async () => {
    const id = top()
    const before = rowsOf()
    const shown = await preview(memory.path, { kind: 'rewrite', id, text: 'The lease was renewed.\n' })
    expect(shown.nodes).toMatchObject([{ id, after: { text: 'The lease was renewed.', model: null } }])
    expect(shown.title).toBe(`Edit ${id} by hand`)
    expect(rowsOf()).toEqual(before)
    const { operation, previewId, nodes } = shown
    const done = await runOn(memory.path, { kind: 'surgery', operation, previewId, nodes })
    expect(done.rolledBack).toBeNull()
    expect(memory.db.value('SELECT content FROM summaries WHERE summary_id = :id', { id })).toBe(
      'The lease was renewed.',
    )
    expect(fired(await scan(memory.path))).toEqual([])
    await runOn(memory.path, { kind: 'undo', backup: done.backup?.path ?? '' })
    expect(rowsOf()).toEqual(before)
  })

  it('refuses a text by hand that is empty, too large, for a subtree, or not the one shown', async () => {
    const id = top()
    const before = rowsOf()
    for (const wrong of [
      { text: '  \n' },
      { text: 'word '.repeat(9000) },
      { text: 'Short.', subtree: true },
      { text: '\ud800' },
    ])
      await expect(operate(memory.path, { kind: 'rewrite', id, ...wrong })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    const { previewId } = await preview(memory.path, { kind: 'rewrite', id, text: 'One.' })
    await expect(operate(memory.path, { kind: 'rewrite', id, text: 'Two.' }, previewId)).rejects.toMatchObject({
      code: 'plan_stale',
    })
    expect(rowsOf()).toEqual(before)
  })

  it('is refused for a prompt that is no template', async () => {
    await expect(preview(memory.path, { kind: 'rewrite', id: top(), prompt: 'Say it well.' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })
})

describe('a summary whose text was changed without its index', () => {
  beforeEach(() => {
    // More words than the whole index has: to take them out fails, where fewer would only leave the index wrong.
    const content = 'Nobody has indexed this. '.repeat(20_000)
    memory.damage('UPDATE summaries SET content = :content WHERE summary_id = :id', { id: top(), content })
    expect(isIndexSound(memory.db, 'summaries')).toBe(false)
  })

  it('is rewritten, and the index is right afterwards', async () => {
    const { rolledBack } = await operate(memory.path, { kind: 'rewrite', id: top(), targetTokens: 30 })
    expect(rolledBack).toBeNull()
    expect(isIndexSound(memory.db, 'summaries')).toBe(true)
  })

  it('is dissolved, and the index is right afterwards', async () => {
    const { rolledBack } = await operate(memory.path, { kind: 'dissolve', id: top() })
    expect(rolledBack).toBeNull()
    expect(isIndexSound(memory.db, 'summaries')).toBe(true)
  })
})

describe('the dissolution of a summary', () => {
  it('puts the sources in the place of the summary', async () => {
    const id = top()
    const sources = memory.db.column<string>(
      'SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal',
      { id },
    )
    const before = memory.windowItems(1)
    const shown = await preview(memory.path, { kind: 'dissolve', id })
    expect(shown.window).toMatchObject({ conversationId: 1, removed: [id], placed: sources })
    expect(shown.window?.tokensAfter).toBeGreaterThan(shown.window?.tokensBefore ?? 0)
    const { rolledBack } = await operate(memory.path, { kind: 'dissolve', id }, shown.previewId)
    expect(rolledBack).toBeNull()
    expect(memory.windowItems(1)).toEqual([...sources, ...before.slice(1)])
    expect(fired(await scan(memory.path))).toEqual([])
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
  })

  it('links its dependents with its sources instead', async () => {
    const parent = memory.db.get<{ made: string; source: string }>(
      `SELECT e.summary_id AS made, e.source_summary_id AS source FROM summary_sources AS e
       JOIN summaries AS s ON s.summary_id = e.source_summary_id WHERE s.depth > 0 ORDER BY e.ordinal DESC`,
    )
    const { made = '', source = '' } = parent ?? {}
    const covered = coveredMessages(memory.db, made)
    const { rolledBack } = await operate(memory.path, { kind: 'dissolve', id: source })
    expect(rolledBack).toBeNull()
    expect(coveredMessages(memory.db, made)).toEqual(covered)
    expect(memory.db.value('SELECT count(*) FROM summaries WHERE summary_id = :source', { source })).toBe(0)
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('brings back the messages of a leaf in the window', async () => {
    while (leafUnder(top()) !== top()) await operate(memory.path, { kind: 'dissolve', id: top() })
    const leaf = top()
    const messages = coveredMessages(memory.db, leaf)
    await operate(memory.path, { kind: 'dissolve', id: leaf })
    expect(memory.windowItems(1).slice(0, messages.length)).toEqual(messages)
    expect(fired(await scan(memory.path))).toEqual([])
    expectLossless(memory.db, 1)
  })

  it('is refused for a leaf below another summary, which is named', async () => {
    await expect(preview(memory.path, { kind: 'dissolve', id: leafUnder(top()) })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('leaves out a dependent that is also one of its sources, because both lie on a cycle', async () => {
    const id = top()
    const source = memory.db.value<string>(
      'SELECT source_summary_id FROM summary_sources WHERE summary_id = :id ORDER BY ordinal',
      { id },
    )
    const before = canonical(memory.db)
    memory.damage('INSERT INTO summary_sources VALUES (:source, :id, 999)', { source: source ?? '', id })
    const { rolledBack } = await operate(memory.path, { kind: 'dissolve', id })
    expect(rolledBack).toBeNull()
    expect(memory.windowItems(1)[0]).toBe(source)
    expect(fired(await scan(memory.path))).toEqual([])
    expect(canonical(memory.db)).toBe(before)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
  })

  it('does not put a summary that is its own source back into the window', async () => {
    const id = top()
    memory.damage('INSERT INTO summary_sources VALUES (:id, :id, 999)', { id })
    const { rolledBack } = await operate(memory.path, { kind: 'dissolve', id })
    expect(rolledBack).toBeNull()
    expect(memory.windowItems(1)).not.toContain(id)
    expect(fired(await scan(memory.path))).toEqual([])
    expectLossless(memory.db, 1)
  })

  it('is ignored by time travel to an earlier moment', async () => {
    using lcm = await openLcm(memory.path, { settings: readSettings({}), clock: () => NOW_MS })
    const before = memory.windowItems(1)
    const event = lcm.timeTravel.timeline(1).events.at(-1)?.eventId ?? 0
    await operate(memory.path, { kind: 'dissolve', id: top() })
    expect(memory.windowItems(1)).not.toEqual(before)
    const past = lcm.timeTravel.entriesAt(1, { eventId: event })
    expect(past).toMatchObject({ placed: before, reconstructed: false })
    expect((await lcm.doctor()).surgery.events(1)).toMatchObject([
      { kind: 'dissolve', summary: expect.stringMatching(/Nothing else was changed\.$/) },
    ])
  })
})

describe('a transplant', () => {
  it('copies summaries under new ids, with the messages that they cover', async () => {
    const id = top()
    const before = canonical(memory.db)
    const originals = memory.db.column<string>(
      'SELECT content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids)) ORDER BY seq',
      {
        ids: JSON.stringify(coveredMessages(memory.db, id)),
      },
    )
    const shown = await preview(memory.path, { kind: 'transplant', id, toConversationId: 2 })
    expect(canonical(memory.db)).toBe(before)
    const { rolledBack } = await operate(memory.path, { kind: 'transplant', id, toConversationId: 2 }, shown.previewId)
    expect(rolledBack).toBeNull()
    const copy = shown.copies.find((one) => one.from === id)?.to ?? ''
    expect(memory.windowItems(2).at(-1)).toBe(copy)
    const copied = coveredMessages(memory.db, copy)
    expect(
      memory.db.column(
        'SELECT content FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids)) ORDER BY seq',
        {
          ids: JSON.stringify(copied),
        },
      ),
    ).toEqual(originals)
    expect(memory.db.value('SELECT external_id FROM messages WHERE message_id = :id', { id: copied[0] ?? 0 })).toBe(
      `transplant:1:${coveredMessages(memory.db, id)[0]}`,
    )
    expect(memory.windowItems(1)[0]).toBe(id)
    expect(fired(await scan(memory.path))).toEqual([])
    expectLossless(memory.db, 2)
    expectSoundGraph(memory.db)
  })

  it('is refused when the copy exists, for the same conversation, and for an unknown one', async () => {
    const id = top()
    await operate(memory.path, { kind: 'transplant', id, toConversationId: 2 })
    const refused = (toConversationId: number, what = id) =>
      expect(preview(memory.path, { kind: 'transplant', id: what, toConversationId }))
    await refused(2).rejects.toMatchObject({ code: 'invalid_argument' })
    await refused(2, leafUnder(id)).rejects.toMatchObject({ code: 'invalid_argument' })
    await refused(1).rejects.toMatchObject({ code: 'invalid_argument' })
    await refused(99).rejects.toMatchObject({ code: 'not_found' })
    await refused(2, 'sum_never').rejects.toMatchObject({ code: 'not_found' })
  })

  it('adds the copies to the search indexes', async () => {
    await operate(memory.path, { kind: 'transplant', id: top(), toConversationId: 2 })
    const count = (sql: string): number => memory.db.value<number>(sql) ?? 0
    expect(count('SELECT count(*) FROM messages_fts_docsize')).toBe(count('SELECT count(*) FROM messages'))
    expect(count('SELECT count(*) FROM summaries_fts_docsize')).toBe(count('SELECT count(*) FROM summaries'))
  })
})

describe('a file that lost a search index', () => {
  it.each(['summaries_fts', 'messages_trigram'])(
    'allows operations and their restoration without %s',
    async (index) => {
      memory.db.exec(`DROP TABLE ${index}`)
      const before = rowsOf()
      const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
      await operate(memory.path, { kind: 'rewrite', id: top(), targetTokens: 20 })
      await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
      expect(rowsOf()).toEqual(before)
      expect(fired(await scan(memory.path))).toEqual(['fts_in_sync'])
    },
  )
})

describe('a transplant into a file that lost a search index', () => {
  it.each(['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram'])(
    'fills the other indexes, and the repair rebuilds %s with the copies',
    async (index) => {
      memory.db.exec(`DROP TABLE ${index}`)
      const { rolledBack } = await operate(memory.path, { kind: 'transplant', id: top(), toConversationId: 2 })
      expect(rolledBack).toBeNull()
      expect(fired(await scan(memory.path))).toEqual(['fts_in_sync'])
      expectLossless(memory.db, 2)
      const { steps } = await runOn(memory.path, { kind: 'repair_plan' })
      const done = await apply(
        memory.path,
        steps.map(({ id }) => id),
      )
      expect(done.rolledBack).toBeNull()
      expect(fired(await scan(memory.path))).toEqual([])
      const [word = ''] =
        memory.db.value<string>('SELECT content FROM messages ORDER BY message_id DESC')?.match(/\w{5,}/) ?? []
      const found = (table: string, text: string): unknown =>
        memory.db.value(`SELECT max(rowid) FROM ${table} WHERE ${table} MATCH :word`, { word: `"${text}"` })
      const newest = memory.db.value('SELECT max(message_id) FROM messages')
      expect([found('messages_fts', word), found('messages_trigram', word.slice(0, 3))]).toEqual([newest, newest])
    },
  )
})

describe('the restoration of a backup', () => {
  it('restores every derived row, byte for byte', async () => {
    const before = [rowsOf(), canonical(memory.db)]
    const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
    await operate(memory.path, { kind: 'transplant', id: top(), toConversationId: 2 })
    await operate(memory.path, { kind: 'rewrite', id: top(), subtree: true, targetTokens: 20 })
    const undone = await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
    expect([rowsOf(), canonical(memory.db)]).toEqual(before)
    expect(existsSync(undone.backup.path)).toBe(true)
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it('keeps messages that arrived since', async () => {
    const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
    const later = memory.message(1, 'Came later.')
    const undone = await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
    expect(undone.keptMessages).toBe(1)
    expect(memory.windowItems(1).at(-1)).toBe(later)
    expect(fired(await scan(memory.path))).toEqual([])
    expectLossless(memory.db, 1)
  })

  it('is recorded in the ledger, from which the same memory can be rebuilt', async () => {
    const ledger = join(dirname(memory.path), 'lcm.events.jsonl')
    new LedgerWriter(memory.db, () => NOW_MS, permissionOf(memory.path)).enable(ledger)
    const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
    await operate(memory.path, { kind: 'transplant', id: top(), toConversationId: 2 })
    await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
    const signal = new AbortController().signal
    expect((await runToEnd(verifyLedger(ledger, memory.db, signal))).failures).toEqual([])
    const to = join(dirname(memory.path), 'again.db')
    await runToEnd(rebuildMemory({ ledger, to, estimator: createTokenEstimator() }, signal))
    using again = await openLcm(to)
    expect(ledgerContentHash(again.read)).toBe(ledgerContentHash(memory.db))
  })

  it('can be undone itself', async () => {
    const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
    const dissolved = rowsOf()
    const undone = await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
    await runOn(memory.path, { kind: 'undo', backup: undone.backup.path })
    expect(rowsOf()).toEqual(dissolved)
  })

  it('is noticed by a connection that was open meanwhile', async () => {
    using open = await openLcm(memory.path, { settings: readSettings({}) })
    const window = (): unknown =>
      open.read.column(
        'SELECT coalesce(message_id, summary_id) FROM context_items WHERE conversation_id = 1 ORDER BY ordinal',
      )
    const before = window()
    const { backup } = await operate(memory.path, { kind: 'dissolve', id: top() })
    expect(window()).not.toEqual(before)
    await runOn(memory.path, { kind: 'undo', backup: backup?.path ?? '' })
    expect(window()).toEqual(before)
  })

  it('is refused for a file that is no backup of this one', async () => {
    const other = await compactedMemory({ seed: 99 })
    await expect(runOn(memory.path, { kind: 'undo', backup: other.path })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(runOn(memory.path, { kind: 'undo', backup: 'nothing.db' })).rejects.toMatchObject({
      code: 'not_found',
    })
    other.close()
    expect(fired(await scan(memory.path))).toEqual([])
  })
})

describe('a file of another system', () => {
  const path = join(FIXTURES, 'lossless-claw/small.db')
  it('can be previewed, and is never written', async () => {
    const lcm = await openLcm(path, { settings: readSettings({}) })
    const id = lcm.read.value<string>("SELECT summary_id FROM summaries WHERE kind = 'condensed'") ?? ''
    lcm.close()
    expect((await preview(path, { kind: 'rewrite', id })).previewId).not.toBe('')
    await expect(operate(path, { kind: 'dissolve', id })).rejects.toMatchObject({ code: 'read_only_dialect' })
  })
})

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { JobProgress } from '#core/contract/job.ts'
import { sha256 } from '#core/hashing.ts'
import { copyFromTenant } from '#core/remote/copy-from-tenant.ts'
import { mergeConversation } from '#core/remote/merge-conversation.ts'
import { FolderStore } from '#core/remote/objects/folder-store.ts'
import { STORED_TABLES } from '#core/remote/postgres/tables.ts'
import { pullConversation } from '#core/remote/pull.ts'
import { nativeRows } from '#core/remote/pulled-file.ts'
import { sendMemory } from '#core/remote/send.ts'
import { openNative } from '#core/sqlite/native.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
let server: InProcess
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

const made = { tenants: 0 }
const newTenant = () => {
  made.tenants += 1
  return `tenant ${made.tenants}`
}
const freshPath = () => join(temporaryFolder(), 'copied.db')
const send = (from: ReadDb, tenant: string) => runToEnd(sendMemory({ from, to: server.db, tenant }, never))
const copying = (tenant: string, to: string, conversationId: number | null = null, signal = never) =>
  copyFromTenant({ from: server.db, tenant, conversationId, to, objects: null }, signal)
const everyRow = (db: ReadDb, conversation: number) =>
  STORED_TABLES.map((table) => [table.name, [...nativeRows(db, table, conversation)]])

/** A run, a replacement and a repair by hand, as this program notes them. */
function history(memory: TestMemory, conversation: number, leaf: string): void {
  const run = `run_of_${conversation}`
  memory.db.run(
    `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
     VALUES (:run, :c, 'manual', 'full', 'auto', '{}', 'test', 1, 9)`,
    { run, c: conversation },
  )
  memory.db.run(
    `INSERT INTO compaction_events (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms)
     VALUES (:run, :c, 1, 'leaf', :leaf, 0, :removed, 'normal', 9, 3, 1)`,
    { run, c: conversation, leaf, removed: JSON.stringify([[0, 'message', 'msg_1', 5]]) },
  )
  memory.db.run(
    `INSERT INTO surgery_events (conversation_id, at, kind, node_id, owner, after_event, window_from, window_to, summary, detail)
     VALUES (:c, 2, 'repair', 'msg_1', 'test', 1, :from, :to, 'A repair', :detail)`,
    {
      c: conversation,
      from: JSON.stringify([1, 2]),
      to: JSON.stringify([leaf]),
      detail: JSON.stringify({ rewritten: [{ id: leaf, text: 'Before.', tokens: 3 }] }),
    },
  )
}

/** Fails when a search index does not agree with the rows, or a row refers to one that is not there. */
function requireSound(db: WriteDb): void {
  for (const index of ['messages_fts', 'messages_trigram', 'summaries_fts', 'summaries_trigram']) {
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`)
  }
  expect(db.all('PRAGMA foreign_key_check')).toEqual([])
}

describe('a tenant that is copied into one file', () => {
  it('is what the file was that was copied into the tenant', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\0', 'a\0b', '', 'needle in the texts'))
    const conversation = fc.record({
      texts: fc.array(text, { minLength: 1, maxLength: 6 }),
      covered: fc.nat(6),
      isBranch: fc.boolean(),
      isNoted: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 4 }), fc.boolean(), async (all, isMixed) => {
        using memory = new TestMemory()
        const ids = all.map(({ isBranch }, index) =>
          memory.conversation({
            sessionId: `session ${index}`,
            parentConversationId: isBranch ? (memory.conversationIds.at(-1) ?? null) : null,
          }),
        )
        const messages = ids.map((): number[] => [])
        const add = (index: number, content: string) => {
          const parts = [{ part_type: 'tool', tool_output: content, metadata: content }] as const
          messages[index]?.push(memory.message(ids[index] ?? 0, { content, parts }))
        }
        // The numbers of conversations that grow at the same time lie between each other.
        const order = all.flatMap(({ texts }, index) => texts.map((content, at) => ({ content, at, index })))
        for (const { content, index } of isMixed ? order.toSorted((a, b) => a.at - b.at) : order) add(index, content)
        for (const [index, { covered, isNoted }] of all.entries()) {
          const own = messages[index] ?? []
          const leaf = memory.leaf(ids[index] ?? 0, own.slice(0, Math.max(1, covered)))
          memory.condensed(ids[index] ?? 0, [leaf])
          memory.largeFile(ids[index] ?? 0)
          if (isNoted) history(memory, ids[index] ?? 0, leaf)
        }
        const tenant = newTenant()
        const sent = (await send(memory.db, tenant)).conversations
        const to = freshPath()
        const report = await runToEnd(copying(tenant, to))
        expect(report.conversations.every(({ isRenumbered }) => !isRenumbered)).toBe(true)
        using copied = openNative(to)
        requireSound(copied)
        const parentOf = (db: ReadDb, id: number) =>
          db.value<number>('SELECT parent_conversation_id FROM conversations WHERE conversation_id = :id', { id })
        for (const { from, to: id } of sent) {
          expect(everyRow(copied, id)).toEqual(everyRow(memory.db, from))
          const parent = parentOf(memory.db, from) ?? null
          expect(parentOf(copied, id) ?? null).toBe(sent.find((one) => one.from === parent)?.to ?? null)
        }
        expect(copied.value('SELECT count(*) FROM conversations')).toBe(ids.length)
      }),
      { numRuns: runs(10) },
    )
  })

  it('has conversations that were numbered alike, with new numbers and the same texts, links and windows', async () => {
    const tenant = newTenant()
    for (const sessionId of ['first', 'second', 'third']) {
      using memory = new TestMemory()
      const conversation = memory.conversation({
        sessionId,
        messages: ['The lease ran out.', 'It was renewed.', 'Why?'],
      })
      const leaf = memory.leaf(conversation, [1, 2], { id: 'sum_0123456789abcdef', content: 'The lease was renewed.' })
      memory.condensed(conversation, [leaf], { id: 'sum_fedcba9876543210', content: 'Renewed.' })
      memory.parts(3, [
        {
          part_type: 'compaction',
          is_synthetic: 1,
          metadata: JSON.stringify({ run: `run_of_${conversation}`, summary: leaf }),
        },
      ])
      history(memory, conversation, leaf)
      await send(memory.db, tenant)
    }
    const to = freshPath()
    const { conversations } = await runToEnd(copying(tenant, to))
    expect(conversations.map(({ isRenumbered }) => isRenumbered)).toEqual([false, true, true])
    using copied = openNative(to)
    requireSound(copied)
    const shapes = conversations.map(({ conversationId: id }) => {
      const first =
        copied.value<number>('SELECT min(message_id) FROM messages WHERE conversation_id = :id', { id }) ?? 0
      const summaries = copied.column<string>(
        'SELECT summary_id FROM summaries WHERE conversation_id = :id ORDER BY depth',
        { id },
      )
      const run = copied.value<string>('SELECT run_id FROM compaction_runs WHERE conversation_id = :id', { id }) ?? ''
      const event = copied.value<number>('SELECT event_id FROM compaction_events WHERE conversation_id = :id', { id })
      // Names instead of numbers and ids.
      const shown = (row: unknown): string =>
        [...summaries, run]
          .reduce(
            (text, name, index) => text.replaceAll(name, `name ${index}`),
            JSON.stringify(row, (key, value: unknown) => {
              if (/^(part_id|session_id|summary_rowid|surgery_id|event_id)$/.test(key)) return key
              if (key === 'message_id' && typeof value === 'number') return `m${value - first}`
              return key === 'after_event' ? value === event : value
            }),
          )
          .replaceAll(`msg_${first}`, 'm0')
          .replaceAll(`[${first},${first + 1}]`, '[m0,m1]')
      return STORED_TABLES.flatMap((table) => [...nativeRows(copied, table, id)].map(shown).toSorted())
    })
    expect(shapes[1]).toEqual(shapes[0])
    expect(shapes[2]).toEqual(shapes[0])
    expect(shapes[0]?.join()).toContain('"window_from":"[m0,m1]","window_to":"[\\"name 0\\"]"')
  })

  it('goes on where an interrupted copy ended, reports all of it, and leaves nothing else behind', async () => {
    const tenant = newTenant()
    for (const sessionId of ['a', 'b', 'c']) {
      using memory = new TestMemory()
      const conversation = memory.conversation({ sessionId, messages: ['One.', 'Two.'] })
      memory.largeFile(conversation, { byte_size: 3, content_hash: sha256('abc') })
      memory.db.run("INSERT INTO lcm_meta VALUES ('token_estimator', :name)", {
        name: sessionId === 'b' ? 'o200k_base' : 'heuristic',
      })
      await send(memory.db, tenant)
    }
    // None of the contents is there.
    const objects = { store: new FolderStore(temporaryFolder()), filesDirs: [] }
    const withObjects = (to: string, signal = never) =>
      copyFromTenant({ from: server.db, tenant, conversationId: null, to, objects }, signal)
    const atOnce = freshPath()
    const whole = await runToEnd(withObjects(atOnce))
    expect(whole).toMatchObject({
      conversations: [1, 2, 3].map(() => ({ unavailableFiles: [{}] })),
      leftOut: [{ table: 'large_files', rows: 2 }],
      notes: [expect.stringContaining('o200k_base')],
    })
    const to = freshPath()
    const abort = new AbortController()
    const job = withObjects(to, abort.signal)
    const isThird = ({ done, unit }: JobProgress) => unit === 'steps' && done === 2
    for (let step = await job.next(); !step.done; step = await job.next()) if (isThird(step.value)) break
    abort.abort()
    await expect(runToEnd(job)).rejects.toMatchObject({ code: 'cancelled' })
    expect(existsSync(to)).toBe(false)
    const report = await runToEnd(withObjects(to))
    expect(report.conversations.map(({ isThere }) => isThere)).toEqual([true, true, false])
    const told = report.conversations.map((one) => ({ ...one, isThere: false }))
    expect({ ...report, conversations: told }).toEqual({ ...whole, path: to })
    const [one, other] = [openNative(atOnce), openNative(to)]
    for (const { conversationId: id } of told) expect(everyRow(other, id)).toEqual(everyRow(one, id))
    const noted = 'SELECT key FROM lcm_meta ORDER BY key'
    expect(other.column(noted)).toEqual(one.column(noted))
    for (const db of [one, other]) db.close()
    expect(readdirSync(dirname(to))).toEqual(['copied.db'])
    await expect(runToEnd(copying(tenant, to))).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('has nothing of another tenant whose copy to the same path was interrupted', async () => {
    using memory = new TestMemory()
    for (const sessionId of ['a', 'b']) memory.conversation({ sessionId, messages: ['One.', 'Two.'] })
    const [x, y] = [newTenant(), newTenant()]
    for (const tenant of [x, y]) await send(memory.db, tenant)
    const to = freshPath()
    const abort = new AbortController()
    const job = copying(x, to, null, abort.signal)
    for (let step = await job.next(); !step.done; step = await job.next()) if (step.value.done === 1) break
    abort.abort()
    await expect(runToEnd(job)).rejects.toMatchObject({ code: 'cancelled' })
    const left = join(`${to}.copying`, 'lcm-files', '990099')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'file_00000000000000aa.txt'), 'of the other tenant')
    writeFileSync(join(`${to}.copying`, '990099.db.pulling'), '')
    await runToEnd(copying(y, to))
    expect(readdirSync(dirname(to))).toEqual(['copied.db'])
  })

  it('is compared with what was noted of a pulled conversation, whose rows are read once', async () => {
    using memory = new TestMemory()
    memory.conversation({ sessionId: 'once', messages: ['One.', 'Two.'] })
    const tenant = newTenant()
    const [sent] = (await send(memory.db, tenant)).conversations
    const key = { tenant, conversationId: sent?.to ?? 0 }
    const path = freshPath()
    await runToEnd(pullConversation({ from: server.db, key, to: path }, never))
    const [whole, part] = [openNative(freshPath()), openNative(path)]
    const read = vi.spyOn(part, 'iterate')
    await mergeConversation(whole, part, { conversationId: key.conversationId, parentId: null }, never, () => {})
    expect(read).toHaveBeenCalledTimes(STORED_TABLES.length)
    for (const db of [whole, part]) db.close()
  })

  it('says that the disk is full where it was', async () => {
    using memory = new TestMemory()
    memory.conversation({ sessionId: 'long', messages: ['One.', 'long '.repeat(40_000)] })
    const tenant = newTenant()
    const [sent] = (await send(memory.db, tenant)).conversations
    const key = { tenant, conversationId: sent?.to ?? 0 }
    const path = freshPath()
    await runToEnd(pullConversation({ from: server.db, key, to: path }, never))
    const [whole, part] = [openNative(freshPath()), openNative(path)]
    // SQLite rolls back by itself then, so that nothing is left to be rolled back.
    whole.exec(`PRAGMA max_page_count = ${Number(whole.value('PRAGMA page_count')) + 2}`)
    const merging = mergeConversation(
      whole,
      part,
      { conversationId: key.conversationId, parentId: null },
      never,
      () => {},
    )
    await expect(merging).rejects.toMatchObject({ code: 'disk_full' })
    for (const db of [whole, part]) db.close()
  })

  it('may be one conversation of it, and is nothing where there is none', async () => {
    using memory = new TestMemory()
    for (const sessionId of ['a', 'b']) memory.conversation({ sessionId, messages: ['One.'] })
    const tenant = newTenant()
    const [, second] = (await send(memory.db, tenant)).conversations
    const report = await runToEnd(copying(tenant, freshPath(), second?.to))
    expect(report.conversations).toMatchObject([{ conversationId: second?.to, messages: 1 }])
    await expect(runToEnd(copying(tenant, freshPath(), 999_999))).rejects.toMatchObject({ code: 'not_found' })
    await expect(runToEnd(copying(newTenant(), freshPath()))).rejects.toMatchObject({ code: 'not_found' })
  })
})

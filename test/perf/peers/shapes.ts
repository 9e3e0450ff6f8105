import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CompactInput } from '#core/contract/compaction.ts'
import { openLcm as openLibrary } from '#core/doors/library/library.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { openNative } from '#core/sqlite/native.ts'
import { generateHistory, historyStream } from '#test/builders/history.ts'
import { Draft, keptPath, withSchema } from '../kept-files.ts'

// Memories of unusual shape, each made once and kept with the temporary files.

/** Raise when the files would be made differently. */
const RECIPE = 1
/** Makes a folder once: `make` fills it. */
async function keptFolder(name: string, make: (folder: string) => unknown): Promise<string> {
  const folder = keptPath(withSchema(`${name}-${RECIPE}`))
  if (existsSync(folder)) return folder
  using draft = new Draft(folder)
  mkdirSync(draft.path)
  await make(draft.path)
  draft.keep()
  return folder
}

/** Sixty messages, compacted, of which the sixth is a log of so many characters. */
export async function longMessageMemory(length: number): Promise<string> {
  const folder = await keptFolder(`long-message-${length}`, async (draft) => {
    let text = ''
    for (const { content } of historyStream({ seed: 8, messages: length, words: 29 })) {
      text += `${content}\n`
      if (text.length >= length) break
    }
    using lcm = await openLcm(join(draft, 'lcm.db'), { create: true })
    const store = new ConversationStore(lcm.requireWrite('ingest'), createTokenEstimator(), Date.now)
    const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'long message' })
    const messages = generateHistory({ seed: 3, messages: 60 }).map((message, place) =>
      place === 5 ? { ...message, content: text, parts: [] } : message,
    )
    store.ingestBulk([{ conversationId, messages }])
    const settings = { freshTailCount: 4, minMessagesToCompact: 1 }
    const run = lcm
      .compactionEngine()
      .compact(CompactInput.parse({ conversationId, settings }), new AbortController().signal)
    for await (const _ of run);
  })
  return join(folder, 'lcm.db')
}

const LEAF_MESSAGES = 10
const queries = {
  summary: /* sql */ `
    INSERT INTO summaries (summary_id, conversation_id, kind, depth, token_count, source_token_count, descendant_count,
      created_at, level, summary_hash, content)
    VALUES (?, 1, ?, ?, ?, 0, ?, 1700000000000, 'normal', printf('%064x', 0), ?)`,
  message: /* sql */ `INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (?, ?, ?)`,
  source: /* sql */ `INSERT INTO summary_sources (summary_id, source_summary_id, ordinal) VALUES ('sum_top', ?, ?)`,
  window: /* sql */ `
    DELETE FROM context_items;
    INSERT INTO context_items (conversation_id, ordinal, item_type, summary_id, created_at)
    VALUES (1, 0, 'summary', 'sum_top', 1700000000000)`,
}

/** One summary over so many others, each of ten messages. It is `sum_top`. */
export async function wideMemory(leaves: number): Promise<string> {
  const folder = await keptFolder(`leaves-${leaves}`, (draft) => {
    using db = openNative(join(draft, 'lcm.db'))
    const store = new ConversationStore(db, createTokenEstimator(), Date.now)
    const conversationId = store.ensureConversation({ importer: 'bench', sessionId: 'wide' })
    const messages = generateHistory({ seed: 5, messages: leaves * LEAF_MESSAGES, words: 29 })
    for (let from = 0; from < messages.length; from += 1000)
      store.ingestBulk([{ conversationId, messages: messages.slice(from, from + 1000) }])
    db.transaction(() => {
      for (let leaf = 0; leaf < leaves; leaf += 1) {
        const told = messages.slice(leaf * LEAF_MESSAGES, (leaf + 1) * LEAF_MESSAGES)
        const id = `sum_${String(leaf).padStart(16, '0')}`
        const text = told.map(({ content }) => content.slice(0, 60)).join('\n')
        db.runRaw(queries.summary, [id, 'leaf', 0, Math.ceil(text.length / 4), LEAF_MESSAGES, text])
        for (const place of told.keys()) db.runRaw(queries.message, [id, leaf * LEAF_MESSAGES + place + 1, place])
      }
      const top = messages.filter((_, place) => place % 500 === 0).map(({ content }) => content.slice(0, 60))
      db.runRaw(queries.summary, ['sum_top', 'condensed', 1, 1000, messages.length, top.join('\n')])
      for (let leaf = 0; leaf < leaves; leaf += 1)
        db.runRaw(queries.source, [`sum_${String(leaf).padStart(16, '0')}`, leaf])
      db.exec(queries.window)
    })
  })
  return join(folder, 'lcm.db')
}

/** A memory with so many files of 100 kB beside it, each put there because its message was too long. */
export async function filesMemory(files: number): Promise<string> {
  const folder = await keptFolder(`files-${files}`, async (draft) => {
    const lcm = await openLibrary(join(draft, 'lcm.db'), { create: true })
    for (let from = 0; from < files; from += 100) {
      const messages = Array.from({ length: Math.min(100, files - from) }, (_, place) => {
        const id = String(from + place)
        const lines = `line ${id} of a file with many words\n`.repeat(3000)
        return { id, role: 'user' as const, content: `<file name="${id}.txt" mime="text/plain">\n${lines}</file>` }
      })
      await lcm.ingest({ sessionId: 'files', messages })
    }
    await lcm.close()
  })
  return join(folder, 'lcm.db')
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '#core/remote/postgres/connect.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { turns } from '../builders/hosted.ts'
import { TestMemory } from '../builders/memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { good, type ModelServer, startModelServer } from '../models/summarizers/model-server.ts'

/** A moment in the work of a worker, at which it is held until something ends it. */
export type Moment = {
  readonly when: string
  /** The model answers so many requests and then no more. */
  readonly answers?: number
  /** What another connection locks when the model is asked for the first time, so that the worker waits for it. */
  readonly locks?: (conversation: number) => string
  /** The worker has stored its compaction. */
  readonly isWritten?: boolean
}

export const ASKING: Moment = { when: 'its model has made one summary and is asked for others', answers: 1 }

/** A push writes events last. Its rows are not committed then. */
export const WRITING: Moment = {
  when: 'it has written half of its rows',
  locks: () => 'LOCK TABLE lcm.compaction_events IN SHARE MODE',
}

/** A push takes the lock of its conversation first, and ends its job after everything is written. */
export const MOMENTS: readonly Moment[] = [
  ASKING,
  {
    when: 'it has read everything and begins to write',
    locks: (conversation) => `SELECT pg_advisory_xact_lock(hashtextextended('acme', ${conversation}))`,
  },
  WRITING,
  {
    when: 'it has written everything and not yet said so',
    locks: () => 'LOCK TABLE lcm.compaction_jobs IN SHARE MODE',
    isWritten: true,
  },
]

/** Makes a conversation whose window is full. */
export async function fullConversation(db: Postgres, tenant: string, session: string): Promise<number> {
  using memory = new TestMemory()
  const conversation = memory.conversation({ sessionId: session })
  memory.messages(
    conversation,
    turns(40).map(({ content }) => ({ content: String(content), tokens: 100 })),
  )
  const sent = await runToEnd(sendMemory({ from: memory.db, to: db, tenant }, new AbortController().signal))
  return sent.conversations[0]?.to ?? 0
}

/** What is stored of a conversation, without what tells one compaction of the same messages from another. */
export async function storedMemory(db: Postgres, tenant: string, conversation: number): Promise<unknown> {
  return db.read(tenant, async (query) => {
    const rows = (sql: string) => query(sql, [tenant, conversation])
    return {
      messages: await rows(`
        SELECT m.seq, m.role, m.content, m.token_count FROM lcm.messages AS m
        WHERE m.tenant_id = $1 AND m.conversation_id = $2 ORDER BY m.seq`),
      summaries: await rows(`
        SELECT s.kind, s.depth, s.content, array(
          SELECT m.seq FROM lcm.summary_messages AS l JOIN lcm.messages AS m USING (tenant_id, conversation_id, message_id)
          WHERE l.tenant_id = $1 AND l.conversation_id = $2 AND l.summary_id = s.summary_id ORDER BY l.ordinal) AS covers
        FROM lcm.summaries AS s WHERE s.tenant_id = $1 AND s.conversation_id = $2 ORDER BY s.summary_rowid`),
      window: await rows(`
        SELECT i.ordinal, i.item_type, m.seq, s.content FROM lcm.context_items AS i
        LEFT JOIN lcm.messages AS m USING (tenant_id, conversation_id, message_id)
        LEFT JOIN lcm.summaries AS s USING (tenant_id, conversation_id, summary_id)
        WHERE i.tenant_id = $1 AND i.conversation_id = $2 ORDER BY i.ordinal`),
      runs: await rows(`
        SELECT r.stop_reason, (SELECT count(*)::int FROM lcm.compaction_events AS e
          WHERE e.tenant_id = $1 AND e.conversation_id = $2 AND e.run_id = r.run_id) AS events
        FROM lcm.compaction_runs AS r WHERE r.tenant_id = $1 AND r.conversation_id = $2`),
    }
  })
}

/** A model on this machine, and the settings by which `lcm` asks it. */
export async function startWorkerModel(): Promise<ModelServer & { readonly settings: string }> {
  const model = await startModelServer(good())
  const settings = join(temporaryFolder(), 'settings.json')
  const provider = {
    ...{ name: 'local', kind: 'openai-compatible', baseUrl: model.url, model: 'tiny-1', keyVariable: null },
    ...{ timeoutMs: 120_000, maxOutputTokens: 800, inputPrice: null, outputPrice: null },
  }
  writeFileSync(settings, JSON.stringify({ providers: [provider] }))
  return { ...model, settings }
}

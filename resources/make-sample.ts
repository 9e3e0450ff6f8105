import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CompactionEngine } from '../core/compaction/compaction-engine.ts'
import { CompactInput, type CompactRequest } from '../core/contract/compaction.ts'
import { ConversationStore } from '../core/ingest/conversation-store.ts'
import { createTokenEstimator, recordedEstimator } from '../core/models/token-estimator.ts'
import { readSettings } from '../core/settings/settings.ts'
import { openNative } from '../core/sqlite/native.ts'
import type { WriteDb } from '../core/sqlite/read-db.ts'
import { Random } from '../test/builders/random.ts'
import { friday } from './sample/friday.ts'
import { monday } from './sample/monday.ts'
import { doubleCharges } from './sample/outputs.ts'
import { repositoryFiles } from './sample/repository.ts'
import { Repository, Session } from './sample/session.ts'
import { nightlyReconciliation, refundTicket, webhookAgent, yenQuestion } from './sample/side-stories.ts'
import { type StoryFile, thursdayAfternoon, thursdayMorning } from './sample/thursday.ts'
import { tuesday } from './sample/tuesday.ts'
import { wednesday } from './sample/wednesday.ts'

const PROJECT = '/srv/kestrel/payments'

/** Small chunks, so that a story of some hundred messages shows several depths. */
const settings = { leafChunkTokens: 1500, leafTargetTokens: 300, condensedTargetTokens: 480, condensedMinFanout: 4 }

const storyFiles: readonly StoryFile[] = [
  {
    id: 'file_7be1c0d2a94f3e58',
    name: 'soak.log',
    bytes: 18_402_133,
    summary:
      'Log of a load test, 214,882 lines, 2026-03-04 16:13 to 2026-03-05 07:30. INFO 209,113, WARN 5,767, ERROR 2. Both errors: “double capture”, lines 88,120 and 90,177. Answer times of the gateway: median 0.6 s, 95 % 41 s, longest 81 s.',
  },
  {
    id: 'file_c35a9f11e0774b6d',
    name: 'captures.csv',
    bytes: 11_930_204,
    summary:
      'CSV with header, 118,208 rows, 8 columns: capture_id, reference, amount_minor (integer), currency (EUR 74 %, GBP 24 %, JPY 2 %), idempotency_key, created_at (2026-03-04 to 2026-03-05), city, merchant_note.',
  },
]

/** Writes the sample memory anew: the same content on every run, through the same services as any other memory. */
export async function makeSample(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
  const db = openNative(path)
  let nowMs = 0
  const clock = (): number => nowMs
  // Its pictures, ids and tests are those of the first heuristic, which memories of that time go on with.
  const estimator = recordedEstimator('heuristic') ?? createTokenEstimator()
  const store = new ConversationStore(db, estimator, clock)
  let runs = 0
  const newRunId = (): string => {
    runs += 1
    return `run_${createHash('sha256').update(`sample run ${runs}`).digest('hex').slice(0, 16)}`
  }
  const engineOptions = { db, estimator, clock, settings: readSettings({}).compaction, owner: 'sample', newRunId }
  const engine = new CompactionEngine(engineOptions)

  const begin = (sessionId: string, title: string, atMs: number, parentConversationId: number | null = null): number =>
    store.ensureConversation({
      importer: 'native',
      sessionId,
      title,
      logicalKey: PROJECT,
      parentConversationId,
      createdAtMs: atMs,
    })
  const compact = async (request: CompactRequest): Promise<void> => {
    nowMs += 60_000
    const run = engine.compact(CompactInput.parse({ ...request, settings }), new AbortController().signal)
    for await (const _ of run) nowMs += 900
  }

  const main = new Session('main')
  const mainId = begin('kestrel-payments-0302', 'Double charges after the retry rollout', Date.UTC(2026, 2, 2, 7, 58))
  let stored = 0
  const keep = (session: Session, conversationId: number): void => {
    store.append(conversationId, conversationId === mainId ? session.messages.slice(stored) : session.messages)
    if (conversationId === mainId) stored = session.messages.length
    nowMs = session.nowMs
  }

  const repo = new Repository(repositoryFiles)
  const random = new Random(1203)
  const doubles = doubleCharges(random, 37)
  monday(main, repo, random, doubles)
  keep(main, mainId)
  await compact({ conversationId: mainId, mode: 'leaf', reason: 'threshold' })
  const agent = new Session('agent')
  webhookAgent(agent, repo, random)
  tuesday(main, repo, random)
  keep(main, mainId)
  await compact({ conversationId: mainId, mode: 'full', reason: 'threshold' })
  keep(
    agent,
    begin('kestrel-payments-0302/agent-webhooks', 'Map webhook handling', Date.UTC(2026, 2, 3, 13, 52), mainId),
  )
  wednesday(main, repo, random)
  keep(main, mainId)
  await compact({ conversationId: mainId, mode: 'full', reason: 'threshold' })
  thursdayMorning(main, repo, random, storyFiles)
  addFiles(db, mainId, Date.UTC(2026, 2, 5, 7, 41))
  keep(main, mainId)
  await compact({ conversationId: mainId, mode: 'full', reason: 'manual' })
  thursdayAfternoon(main, repo, random)
  friday(main, repo, random, doubles)
  keep(main, mainId)

  const ticket = new Session('ticket')
  refundTicket(ticket)
  keep(ticket, begin('ticket-4812', 'Ticket 4812: ein Cent zu wenig erstattet', Date.UTC(2026, 2, 2, 10, 15)))
  const nightly = new Session('nightly')
  nightlyReconciliation(nightly, random)
  const nightlyId = begin('cron-reconcile', 'Nightly reconciliation', Date.UTC(2026, 2, 1, 3, 30))
  keep(nightly, nightlyId)
  await compact({ conversationId: nightlyId, mode: 'leaf', reason: 'maintenance' })
  const yen = new Session('yen')
  yenQuestion(yen)
  keep(yen, begin('tokyo-yen', 'JPY の受付再開', Date.UTC(2026, 2, 6, 1, 5)))

  // How long this machine took is no part of the story.
  db.run(`UPDATE compaction_events SET duration_ms = 3, attempts = (
    SELECT json_group_array(json_set(value, '$.durationMs', 3)) FROM json_each(attempts))`)
  db.exec("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')")
  db.exec("INSERT INTO messages_trigram (messages_trigram) VALUES ('optimize')")
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

function addFiles(db: WriteDb, conversationId: number, createdAt: number): void {
  for (const { id, name, bytes, summary } of storyFiles) {
    const [, extension = ''] = name.split('.')
    db.run(
      `INSERT INTO large_files (file_id, conversation_id, file_name, mime_type, byte_size, content_hash, storage_uri,
         exploration_summary, created_at)
       VALUES (:id, :conversationId, :name, :mime, :bytes, :hash, :uri, :summary, :createdAt)`,
      {
        id,
        conversationId,
        name,
        mime: extension === 'csv' ? 'text/csv' : 'text/plain',
        bytes,
        hash: createHash('sha256').update(`${name} of the sample`).digest('hex'),
        uri: `lcm-files/${conversationId}/${id}.${extension}`,
        summary,
        createdAt,
      },
    )
  }
}

if (import.meta.main) await makeSample(join(import.meta.dirname, 'sample.db'))

import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inEveryMessage, inEverySession, renamed, type Session, type StoryMessage, type StorySummary } from './story.ts'
import { insertRow, openWriter, type SystemFile, type SystemWriter } from './system.ts'

const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE originals_index (content_hash TEXT PRIMARY KEY, event_id TEXT NOT NULL, ts TEXT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
  byte_size INTEGER NOT NULL, session_id TEXT);
CREATE TABLE summaries (summary_hash TEXT PRIMARY KEY, ts TEXT NOT NULL, scope TEXT NOT NULL, original_hashes TEXT NOT NULL,
  summary_text TEXT NOT NULL, token_estimate INTEGER NOT NULL);
CREATE INDEX idx_lcm_originals_kind ON originals_index (kind);
CREATE INDEX idx_lcm_originals_ts ON originals_index (ts);
CREATE INDEX idx_lcm_summaries_scope ON summaries (scope);`

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
const stamp = (atMs: number): string => `${Math.floor(atMs / 1000)}Z`
const ACTORS = { user: 'human', assistant: 'agent-one', tool: 'agent-one', system: 'system' } as const
const eventOf = (number: number): string => `01KJ${String(number).padStart(22, '0')}`

const hashes = ({ messages }: StorySummary, session: Session): string[] =>
  messages.map((number) => sha256(session.messages.find((message) => message.number === number)?.content ?? ''))

/** The ledger has the messages; the database has their hashes. */
export const decapodWriter: SystemWriter = {
  name: 'decapod',
  lacks: [
    'Summaries stand side by side: none is made of others.',
    'There is no window: all messages are in it.',
    'A tool call is not recorded, and a result does not name its call.',
    'A message is placed by its line in the ledger, through all sessions.',
    'It keeps no large files.',
    'A summary is named by a hash, and is made without a model.',
  ],
  unfired: {
    orphan_summary: 'Its summaries belong to no window, as its system wants it.',
    not_smaller_than_sources: 'A summary of it is its sources with a heading each: it is never smaller.',
    fresh_tail_compacted: 'It has no window, and so no tail of one.',
    coverage_gap: 'It has no window, and so no gap in one.',
  },
  unsaid: { level: 'Its summaries are all made without a model.' },
  tell: (story) => {
    const flat = inEverySession(story, ({ messages, summaries }) => ({
      summaries: summaries.filter(({ depth }) => depth === 0),
      window: messages.map(({ number }) => number),
      files: [],
    }))
    const told = inEveryMessage(flat, ({ number, result }) => ({
      seq: number - 1,
      entry: eventOf(number),
      call: null,
      result: result && { callId: null, name: result.name },
    }))
    const owner = new Map(told.sessions.flatMap((session) => session.summaries.map((summary) => [summary.id, session])))
    return renamed(told, (summary) => {
      const session = owner.get(summary.id)
      return sha256(`${session ? hashes(summary, session).join(',') : ''}|${summary.content}`)
    })
  },
  open: (path): SystemFile => {
    const db = openWriter(path, SCHEMA)
    const ledger = join(dirname(path), 'lcm.events.jsonl')
    writeFileSync(ledger, '', { flag: 'a' })
    return {
      path,
      db,
      begin: () => undefined,
      message: (session, message) => {
        const line = lineOf(session, message)
        appendFileSync(ledger, `${JSON.stringify(line)}\n`)
        insertRow(db, 'originals_index', {
          content_hash: line.content_hash,
          event_id: line.event_id,
          ts: line.ts,
          actor: line.actor,
          kind: line.kind,
          byte_size: BigInt(Buffer.byteLength(message.content)),
          session_id: session.id,
        })
      },
      summary: (session, summary) =>
        insertRow(db, 'summaries', {
          summary_hash: summary.id,
          ts: stamp(summary.atMs),
          scope: 'session',
          original_hashes: JSON.stringify(hashes(summary, session)),
          summary_text: summary.content,
          token_estimate: BigInt(summary.tokens),
        }),
      window: () => undefined,
      file: () => undefined,
    }
  },
}

const lineOf = ({ id }: Session, { number, role, content, atMs, result }: StoryMessage) => ({
  actor: ACTORS[role],
  content,
  content_hash: sha256(content),
  event_id: eventOf(number),
  kind: role === 'tool' ? 'tool_result' : 'message',
  metadata: { session_id: id, ...(result?.name ? { source: `tool:${result.name}` } : {}) },
  ts: stamp(atMs),
})

import { bytesOfRows } from '#core/ingest/transcripts/database-progress.ts'
import type {
  AgentStore,
  TranscriptChunk,
  TranscriptRecord,
  TranscriptSource,
} from '#core/ingest/transcripts/format.ts'
import type { JsonObject } from '#core/ingest/transcripts/json-value.ts'
import { takeGuarded } from '#core/ingest/transcripts/read-lines.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { chainsOf, type Segment } from './chains.ts'
import { decoded, HermesReader } from './reader.ts'

// All columns are asked for, because each version of the agent adds some.
const queries = {
  sessions: /* sql */ `SELECT * FROM sessions ORDER BY started_at, id`,
  messages: /* sql */ `
    SELECT * FROM messages WHERE session_id = :sessionId AND id > CAST(:after AS INTEGER) ORDER BY id LIMIT 200`,
  hasPrompts: /* sql */ `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'system_prompts'`,
  prompt: /* sql */ `SELECT prompt FROM system_prompts WHERE hash = :hash`,
}

/** `state.db`: the sessions of one profile, from the command line, chats, jobs and other agents. */
export const hermesStore: AgentStore = {
  fileName: /^state\.db$/,
  isOurs: (probe) =>
    probe.has('sessions', 'parent_session_id') &&
    probe.has('sessions', 'started_at') &&
    probe.has('messages', 'session_id') &&
    probe.has('messages', 'tool_call_id'),
  read,
}

async function* read(db: ReadDb, source: TranscriptSource): AsyncGenerator<TranscriptChunk> {
  const doneBytes = bytesOfRows(db, 'messages', source)
  const hasPrompts = db.value(queries.hasPrompts) !== undefined
  let done = 0
  for (const chain of chainsOf(db.all<JsonObject>(queries.sessions))) {
    const reader = new HermesReader(source, chain)
    for (const segment of chain.segments) {
      const opening: TranscriptRecord[] = []
      reader.open(segment, promptOf(db, segment, hasPrompts), opening)
      yield { doing: 'storing', bytesRead: doneBytes(done), records: opening }
      for (let after = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = db.all<JsonObject>(queries.messages, { sessionId: segment.id, after })
        const last = rows.at(-1)
        if (!last) break
        const records: TranscriptRecord[] = []
        for (const row of rows) takeRow(row, reader, records, source)
        done += rows.length
        after = nextKey(db, 'the numbers of messages', after, last.id)
        yield { doing: 'storing', bytesRead: doneBytes(done), records }
        if (doneBytes(done) >= source.limitBytes) break
      }
    }
    yield { doing: 'storing', bytesRead: doneBytes(done), records: reader.end() }
    if (doneBytes(done) >= source.limitBytes) return
  }
  yield { doing: 'storing', bytesRead: source.bytes, records: [] }
}

function takeRow(row: JsonObject, reader: HermesReader, out: TranscriptRecord[], source: TranscriptSource): void {
  const origin = { line: Number(row.id), details: {} }
  takeGuarded(decoded(row), origin, (value, { line }, records) => reader.take(value, line, records), out, source)
}

function promptOf(db: ReadDb, { row }: Segment, hasPrompts: boolean): string | null {
  const { system_prompt: own, system_prompt_hash: hash } = row
  const shared = hasPrompts && typeof hash === 'string' ? db.value<string>(queries.prompt, { hash }) : undefined
  return shared ?? (typeof own === 'string' ? own : null)
}

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { folderState } from '../sqlite/folder-state.ts'
import { copyWithLedger, FOLDER, SMALL } from '../systems/decapod-files.ts'
import { askEveryService, withLcm } from '../systems/every-service.ts'
import { copyInto } from '../systems/foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')
const truth = JSON.parse(readFileSync(join(FIXTURES, 'decapod/small.truth.json'), 'utf8'))

describe('a file of decapod', () => {
  it('has the counts of its own system', () =>
    withLcm(SMALL, cacheDir, (lcm) => {
      const stats = lcm.stats.stats()
      expect(stats).toMatchObject({
        conversations: truth.sessions.length,
        messages: truth.table_counts.originals_index,
        summaries: truth.table_counts.summaries,
        summariesByDepth: truth.nodes_by_depth,
        // A content that stands twice in a summary is one source of it.
        edges: { summaryMessages: truth.edges_distinct, summaryParents: 0 },
        bytes: truth.bytes.db,
      })
      expect(stats.perConversation.map(({ sessionId, messages }) => ({ session_id: sessionId, c: messages }))).toEqual(
        truth.sessions,
      )
      const summaries = lcm.read.all('SELECT summary_id AS hash, token_count AS token_estimate FROM summaries')
      expect(summaries).toEqual(
        truth.summaries.map(({ hash, token_estimate }: Record<string, unknown>) => ({ hash, token_estimate })),
      )
    }))

  it('finds what is in the ledger', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const find = async (query: string, scope: 'messages' | 'summaries') =>
        (await lcm.retrieval.grep(GrepInput.parse({ query, mode: 'literal', caseSensitive: true, scope, limit: 1000 })))
          .total
      for (const [query, asked] of Object.entries<{ ledger_lines: number; summaries: number }>(truth.queries)) {
        // Contents that are recorded again count as one message. No message contains these words.
        expect([query, await find(query, 'messages')]).toEqual([query, asked.ledger_lines])
        expect([query, await find(query, 'summaries')]).toEqual([query, asked.summaries])
      }
    }))

  it('shows the runs that decapod has recorded, byte for byte as it names them', () =>
    withLcm(SMALL, cacheDir, async (lcm) => {
      const { runs, unreadable, isCut } = await lcm.mapRecord.runs()
      const lines = readFileSync(join(FOLDER, 'map.events.jsonl'), 'utf8').trimEnd().split('\n').reverse()
      expect([runs.length, unreadable, isCut]).toEqual([lines.length, 0, false])
      for (const [index, line] of lines.entries()) {
        const { event_id, op, actor, item_count, status, ts, retain = null, ...hashes } = JSON.parse(line)
        expect(runs[index]).toMatchObject({ key: event_id, actor, items: item_count, status, retain, hashes })
        expect([`map.${runs[index]?.operator}`, `${(runs[index]?.atMs ?? 0) / 1000}Z`]).toEqual([op, ts])
      }
    }))

  it('answers every service, and is not changed', async () => {
    const path = copyWithLedger()
    copyInto(dirname(path), join(FOLDER, 'map.events.jsonl'))
    const before = folderState(dirname(path))
    await withLcm(path, cacheDir, askEveryService)
    expect(folderState(dirname(path))).toEqual(before)
  })
})

import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { exportLedger } from '#core/ledger/export-ledger.ts'
import { LedgerWriter } from '#core/ledger/ledger-writer.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { runToEnd } from '#core/yielding.ts'
import { permissionOf } from '#test/builders/ledgers.ts'
import { WRITERS } from '#test/builders/systems/every-writer.ts'
import { tellStory } from '#test/builders/systems/story.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { compact } from '#test/compaction/run-compaction.ts'
import { askAll, comparable, FIRED } from '#test/equivalence/answers.ts'
import { folderState } from '#test/sqlite/folder-state.ts'
import { withLcm } from '#test/systems/every-service.ts'
import { apply, plan, runOn, scan } from '../repair/doctor.ts'
import { copied, written } from './copying.ts'

const STORY = tellStory({ seed: 11, sessions: 2, turns: 10, tail: 12 })
/** The conversation with the most messages in its window. */
const LONGEST_TAIL = `
  SELECT conversation_id FROM context_items WHERE message_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`
const cacheDir = join(temporaryFolder(), 'cache')

describe.each(WRITERS.map((writer) => ({ name: writer.name, writer })))(
  'a working copy of a file of $name',
  ({ writer }) => {
    it('gives the answers of its original, with the window, and leaves it unchanged', async () => {
      const from = written(writer, STORY)
      const before = folderState(dirname(from))
      const { path, report } = await copied(from)
      expect(folderState(dirname(from))).toEqual(before)
      expect(report).toMatchObject({ verified: true, adjusted: [] })
      expect(report.compared.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['messages', 'summaries', 'links to messages', 'windows']),
      )
      expect(report.searches.length).toBeGreaterThan(2)
      expect(report.searches.every(({ hits }) => hits > 0)).toBe(true)
      const theirs = await withLcm(from, cacheDir, askAll)
      const ours = await withLcm(path, cacheDir, askAll)
      expect([...ours.keys()]).toEqual([...theirs.keys()])
      // Marks and checks are those of a native file: what another system leaves out by its own way is a fault here.
      const unsaid = { ...writer.unsaid, marks: 'see above', level: 'the same in both' }
      for (const [question, answer] of theirs) {
        if (question !== FIRED)
          expect(comparable(ours.get(question), unsaid), question).toEqual(comparable(answer, unsaid))
      }
    })

    it('can be compacted', async () => {
      const { path } = await copied(written(writer, STORY))
      await withLcm(path, cacheDir, async (lcm) => {
        const messages = (): unknown => lcm.read.all('SELECT * FROM messages ORDER BY message_id')
        const before = messages()
        const conversationId = lcm.read.value<number>(LONGEST_TAIL) ?? 0
        const settings = { freshTailCount: 1 }
        const { result } = await compact(lcm.requireWrite('compact'), { conversationId, mode: 'full' }, { settings })
        expect(result.tokensAfter).toBeLessThan(result.tokensBefore)
        expect(messages()).toEqual(before)
        const made = lcm.timeTravel.timeline(conversationId).events.at(-1)
        const moment = { eventId: made?.eventId ?? 0 }
        const window = (ids: { readonly items: readonly { readonly id: string }[] }) => ids.items.map(({ id }) => id)
        expect(window(lcm.timeTravel.contextAt({ conversationId, moment }))).toEqual(
          window(lcm.context.assemble({ conversationId })),
        )
      })
    })

    it('can be repaired', async () => {
      const { path } = await copied(written(writer, STORY))
      await withLcm(path, cacheDir, (lcm) => {
        const db = lcm.requireWrite('damage')
        const [lost] = db.column<number>(
          `SELECT message_id FROM context_items WHERE message_id IS NOT NULL
          AND message_id NOT IN (SELECT message_id FROM summary_messages) ORDER BY 1 DESC`,
        )
        db.run('DELETE FROM context_items WHERE message_id = :lost', { lost: lost ?? 0 })
      })
      const { steps } = await plan(path)
      const chosen = steps.filter(({ fixes }) => fixes.includes('coverage_gap'))
      expect(chosen.length).toBeGreaterThan(0)
      const result = await apply(
        path,
        chosen.map((step) => step.id),
      )
      expect(result.rolledBack).toBeNull()
      const gaps = (await scan(path)).checks.find(({ id }) => id === 'coverage_gap')
      expect(gaps?.count).toBe(0)
    })

    it('can be changed by hand, and that can be undone', async () => {
      const { path } = await copied(written(writer, STORY))
      const id = await withLcm(path, cacheDir, (lcm) =>
        lcm.read.value<string>("SELECT summary_id FROM summaries WHERE kind = 'leaf' ORDER BY summary_rowid DESC"),
      )
      const before = await withLcm(path, cacheDir, (lcm) => lcm.retrieval.describe(id ?? '', 1000).content)
      const operation = {
        kind: 'rewrite' as const,
        id: id ?? '',
        subtree: false,
        summarizer: 'deterministic',
        prompt: null,
        targetTokens: null,
      }
      const result = await runOn(path, { kind: 'surgery', operation })
      expect(result.operation.kind).toBe('rewrite')
      const after = await withLcm(path, cacheDir, (lcm) => lcm.retrieval.describe(id ?? '', 1000).content)
      if (result.preview.nodes.length > 0) expect(after).not.toBe(before)
      else expect(result.preview.kept).toHaveLength(1)
    })

    it('can keep a ledger', async () => {
      const { path } = await copied(written(writer, STORY))
      const ledger = join(dirname(path), 'lcm.events.jsonl')
      await withLcm(path, cacheDir, async (lcm) => {
        const keeper = new LedgerWriter(lcm.requireWrite('keep a ledger'), lcm.clock, permissionOf(path))
        keeper.enable(ledger)
        keeper.drain()
        const report = await runToEnd(verifyLedger(ledger, lcm.read, new AbortController().signal))
        expect(report).toMatchObject({ ok: true, failures: [] })
        const to = join(dirname(path), 'exported.jsonl')
        const exported = await runToEnd(
          exportLedger({ db: lcm.read, info: lcm.info, to, clock: lcm.clock }, new AbortController().signal),
        )
        expect(exported.events).toBeGreaterThan(0)
        const found = await lcm.retrieval.grep(GrepInput.parse({ query: 'lease', exactTotal: true }))
        expect(found.total).toBeGreaterThan(0)
      })
    })
  },
)

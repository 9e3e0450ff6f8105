import { expect, it } from 'vitest'
import { CompactionHistory } from '#core/compaction/compaction-history.ts'
import { CompactionRunRecord } from '#core/contract/time-travel.ts'
import { compact } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

const listed = { conversationId: 1, created: 'listed' } as const

it('lists runs newest first, with the nodes that each made and the calls that led to them', async () => {
  using memory = remember(talk(42))
  const first = await compact(memory.db, { mode: 'leaf' }, { settings: small, clock: () => 1_000 })
  const second = await compact(memory.db, { reason: 'threshold' }, { settings: small, clock: () => 2_000 })
  const runs = new CompactionHistory(memory.db).runs(listed).map((run) => CompactionRunRecord.parse(run))
  expect(runs.map(({ runId }) => runId)).toEqual([second.result.runId, first.result.runId])
  expect(runs[0]).toMatchObject({
    reason: 'threshold',
    mode: 'full',
    summarizer: 'deterministic',
    owner: 'test',
    startedAtMs: 2_000,
    finishedAtMs: 2_000,
    tokensBefore: first.result.tokensAfter,
    tokensAfter: second.result.tokensAfter,
    stopReason: 'all_compacted',
    modelInputTokens: 0,
    modelOutputTokens: 0,
    cost: 0,
  })
  const nodes = runs.flatMap(({ created }) => created.map(({ attempts, durationMs, ...node }) => node))
  expect(nodes).toEqual([...second.result.created, ...first.result.created])
  expect(runs[1]?.created[0]?.attempts).toMatchObject([
    {
      summarizer: 'deterministic',
      level: 'deterministic',
      model: null,
      promptVersion: 'extract-1',
      outcome: 'accepted',
    },
  ])
  expect(new CompactionHistory(memory.db).runs({ ...listed, conversationId: 2 })).toEqual([])
})

it('counts what each run made instead of listing it, and lists a single run, where that is asked for', async () => {
  using memory = remember(talk(42))
  const first = await compact(memory.db, { mode: 'leaf' }, { settings: small, clock: () => 1_000 })
  const second = await compact(memory.db, {}, { settings: small, clock: () => 2_000 })
  const history = new CompactionHistory(memory.db)
  const counted = history.runs({ ...listed, created: 'counted' })
  expect(counted.map(({ created, createdCount }) => [created, createdCount])).toEqual([
    [[], second.result.created.length],
    [[], first.result.created.length],
  ])
  const runId = first.result.runId ?? undefined
  expect(history.runs({ ...listed, runId })).toEqual([history.runs(listed)[1]])
})

it('shows a run with a damaged list of calls without the calls', async () => {
  using memory = remember(talk(42))
  await compact(memory.db, {}, { settings: small })
  memory.damage("UPDATE compaction_events SET attempts = iif(event_id % 2, '{broken', '[{}, 1]')")
  const [run] = new CompactionHistory(memory.db).runs(listed)
  expect(run?.created.length).toBeGreaterThan(2)
  expect(run?.created.flatMap(({ attempts }) => attempts)).toEqual([])
})

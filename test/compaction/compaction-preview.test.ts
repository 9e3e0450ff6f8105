// Compacts the sample twice, and lists what was lost each time.
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { CompactInput, type CompactionPreview } from '#core/contract/compaction.ts'
import { type JobResult, JobSpec } from '#core/contract/job.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { openLcm } from '#core/lcm.ts'
import { leaveFilesAlone } from '../builders/files-left-alone.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { changedCopy } from '../systems/foreign-files.ts'
import { remember, talk } from './talk.ts'

leaveFilesAlone()

const run = (path: string, spec: object, signal = new AbortController().signal): Promise<JobResult> =>
  executeHere({})({ path, create: false, spec: JobSpec.parse({ conversationId: 1, ...spec }) }, signal, () => {})

async function previewOf(path: string, asked: object = {}): Promise<CompactionPreview> {
  const result = await run(path, { kind: 'compaction_preview', ...asked })
  if (result.kind !== 'compaction_preview') throw new Error('a preview answers with a preview')
  return result.value
}

function sample(): string {
  const path = join(temporaryFolder(), 'sample.db')
  copyFileSync(join(import.meta.dirname, '../../resources/sample.db'), path)
  return path
}

const fingerprint = (path: string) => [
  createHash('sha256').update(readFileSync(path)).digest('hex'),
  readdirSync(dirname(path)),
]
type Placed = Pick<CompactionPreview['summaries'][number], 'depth' | 'firstSeq' | 'lastSeq'>
/** Fewer messages than there are, so that the comparison is short. */
const settings = { freshTailCount: 110 }

/** Where trials are made: other tests make theirs at the same time. */
const ownTemporary = temporaryFolder()
for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, ownTemporary)
const trials = (): string[] => readdirSync(tmpdir()).filter((name) => name.includes('trial'))

it('tells before a compaction what its result tells afterwards, and writes nothing', async () => {
  const path = sample()
  const before = fingerprint(path)
  const lcm = await openLcm(path, { readOnly: true })
  const { steps } = lcm.planner.plan(CompactInput.parse({ conversationId: 1, settings }))
  lcm.close()
  const preview = await previewOf(path, { settings })
  expect(fingerprint(path)).toEqual(before)
  expect(trials()).toEqual([])

  // Each step of the plan has its summary.
  const placed = ({ depth, firstSeq, lastSeq }: Placed) => `${depth} ${firstSeq}–${lastSeq}`
  expect(preview.summaries.map(placed)).toEqual(steps.map(placed))
  for (const { lost, dropped } of preview.summaries) expect(lost.dropped).toHaveLength(Math.min(12, dropped))

  const result = await run(path, { kind: 'compact', settings, loss: true })
  if (result.kind !== 'compact') throw new Error('a compaction answers with a compaction')
  const { loss, created, tokensBefore, tokensAfter } = result.value
  expect(preview).toMatchObject({ tokensBefore, tokensAfter })
  expect(preview.loss?.counts).toEqual(loss?.counts)
  expect(preview.loss?.counts.dropped).toBeGreaterThan(100)
  const named = ({ kind, text, messageId }: { kind: string; text: string; messageId: string }) => [
    kind,
    text,
    messageId,
  ]
  expect(preview.loss?.dropped.map(named)).toEqual(loss?.dropped.map(named))
  expect(preview.loss?.changed.map(named)).toEqual(loss?.changed.map(named))
  expect(preview.summaries.map(({ depth, tokens }) => [depth, tokens])).toEqual(
    created.map(({ depth, tokens }) => [depth, tokens]),
  )
  const sum = (of: 'dropped' | 'changed'): number => preview.summaries.reduce((all, one) => all + one[of], 0)
  expect([sum('dropped'), sum('changed')]).toEqual([loss?.counts.dropped, loss?.counts.changed])
})

it('tells it of a file of another system, by the budget that the file names, and leaves the file alone', async () => {
  const path = changedCopy(join(FIXTURES, 'lossless-claw/small.db'), (db) =>
    db.exec(`DELETE FROM context_items; DELETE FROM summary_parents; DELETE FROM summary_messages; DELETE FROM summaries;
      INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
        SELECT 1, message_id - 1, 'message', message_id FROM messages;
      INSERT INTO conversation_compaction_maintenance (conversation_id, pending, reason, running, token_budget)
        SELECT 1, 0, 'threshold', 0, CAST(sum(token_count) / 1.1 AS INTEGER) FROM messages`),
  )
  const before = fingerprint(path)
  const whole = await previewOf(path)
  expect(whole.loss?.counts.dropped).toBeGreaterThan(0)
  const until = await previewOf(path, { mode: 'untilUnder' })
  expect(until.tokensAfter).toBeLessThan(until.tokensBefore)
  expect(until.tokensAfter).toBeGreaterThanOrEqual(whole.tokensAfter)
  expect(fingerprint(path)).toEqual(before)
})

it('counts only what its own summaries lose where another system left summaries in the window', async () => {
  const { loss, summaries } = await previewOf(join(FIXTURES, 'pi-lcm/small.db'), {
    mode: 'leaf',
    settings: { freshTailCount: 2, minMessagesToCompact: 1 },
  })
  expect(loss?.counts.dropped).toBeGreaterThan(0)
  expect(loss?.notes.join(' ')).not.toContain('inferred')
  expect(summaries.reduce((all, { dropped }) => all + dropped, 0)).toBe(loss?.counts.dropped)
})

it('says so when more would leave the window than is compared', async () => {
  using memory = remember(talk(60, 2_000))
  expect(await previewOf(memory.path, { mode: 'leaf' })).toMatchObject({ isPart: true })
  using short = remember(talk(60))
  expect(await previewOf(short.path, { mode: 'leaf' })).toMatchObject({ isPart: false })
})

it('tells nothing where nothing would be compacted, and leaves no copy behind when it is cancelled', async () => {
  const path = sample()
  expect(await previewOf(path, { settings: { minMessagesToCompact: 5_000 }, mode: 'leaf' })).toMatchObject({
    summaries: [],
    loss: null,
  })
  const abort = new AbortController()
  abort.abort()
  await expect(run(path, { kind: 'compaction_preview' }, abort.signal)).rejects.toMatchObject({ code: 'cancelled' })
  expect(trials()).toEqual([])
})

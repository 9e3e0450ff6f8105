import { describe, expect, it } from 'vitest'
import { DetailKind, type LossReport } from '#core/contract/loss.ts'
import { LossInput } from '#core/contract/trace.ts'
import { openLcm } from '#core/lcm.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { compact } from '../compaction/run-compaction.ts'
import { type PlantedFact, plantFacts, TURNS } from './planted-facts.ts'
import { FIRST_FACTS, LATER_FACTS, type ToldPlot } from './told-facts.ts'

async function lossOf(
  memory: TestMemory,
  input: Partial<Parameters<typeof LossInput.parse>[0] & object>,
): Promise<LossReport> {
  using lcm = await openLcm(memory.path, { readOnly: true })
  return await lcm.losses.report(LossInput.parse({ conversationId: 1, limit: 2000, ...input }))
}

/** How many facts a report calls lost in the right list, and how many it should. */
async function measured(plots: readonly ToldPlot[], seed: number) {
  const tally = { right: 0, said: 0, lost: 0, wrong: [] as string[] }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { memory, facts } = plantFacts(plots, seed + turn, turn)
    memory.db.run('UPDATE summaries SET created_at = created_at + 864000000')
    const last = memory.db.value<number>('SELECT max(message_id) FROM messages')
    const report = await lossOf(memory, { from: { messageId: `msg_${last}` } })
    for (const fact of facts) countFact(fact, report, tally)
    memory.close()
  }
  return tally
}

function countFact(fact: PlantedFact, report: LossReport, tally: Awaited<ReturnType<typeof measured>>): void {
  const { kind } = fact.fate
  // Other words may hold the details or not; nothing is counted there.
  if (kind === 'reworded') return
  const of = (list: LossReport['dropped']) => list.filter(({ messageId }) => messageId === fact.messageId)
  const [dropped, changed] = [of(report.dropped), of(report.changed)]
  const said = changed.length > 0 ? 'changed' : dropped.length > 0 ? 'dropped' : 'kept'
  const depth = 'depth' in fact.fate ? fact.fate.depth : -1
  const isRight = said === kind && [...dropped, ...changed].every((one) => one.depth === depth)
  if (said !== 'kept') tally.said += 1
  if (kind !== 'kept') tally.lost += 1
  if (isRight && said !== 'kept') tally.right += 1
  if (!isRight)
    tally.wrong.push(
      `${kind} ${depth} → ${said} ${[...dropped, ...changed].map((one) => `${one.text}@${one.depth}`)}: ${fact.said}`,
    )
}

describe('the loss report', () => {
  it.each([true, false])(
    'ends with an error that can be tried again when its memory is closed meanwhile (read-only: %s)',
    async (readOnly) => {
      using memory = buildMemory({ conversations: [{ messages: ['The gate is on port 8123.', 'Noted.', 'Go on.'] }] })
      memory.leaf(1, [1, 2])
      const lcm = await openLcm(memory.path, { readOnly })
      const report = lcm.losses.report(LossInput.parse({ conversationId: 1 }))
      lcm.close()
      await expect(report).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringMatching(/closed while it was read/),
      })
    },
  )

  it.each([
    ['written before the comparison was tuned', FIRST_FACTS, 31],
    ['written after it was tuned', LATER_FACTS, 61],
  ])('lists dropped and changed facts %s, each at its depth', async (_, plots, seed) => {
    const { right, said, lost, wrong } = await measured(plots, seed)
    expect.soft(right / said, wrong.join('\n')).toBeGreaterThanOrEqual(0.9)
    expect.soft(right / lost, wrong.join('\n')).toBeGreaterThanOrEqual(0.9)
  })

  it('is about the last compaction unless moments are given, and in the order of the kinds', async () => {
    using memory = buildMemory({ conversations: [{}] })
    memory.messages(
      1,
      generateHistory({ seed: 3, messages: 120 }).map(({ role, content }) => ({ role, content })),
    )
    await compact(memory.db, { conversationId: 1, settings: { leafChunkTokens: 400, leafTargetTokens: 60 } })
    const report = await lossOf(memory, {})
    expect(report.counts.dropped).toBeGreaterThan(20)
    expect(report.dropped.length).toBe(report.counts.dropped)
    const { details, kept, changed, unknown, dropped } = report.counts
    expect(kept + changed + unknown + dropped).toBe(details)
    const places = report.dropped.map(({ kind }) => DetailKind.options.indexOf(kind))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    for (const { messageId, atSummary, runId, ladder } of report.dropped) {
      expect(messageId).toMatch(/^msg_/)
      expect(runId).toMatch(/^run_/)
      expect(ladder.map(({ id }) => id)).toContain(atSummary)
    }
  })

  describe('the loss report of one run', () => {
    const settings = { leafChunkTokens: 60, leafTargetTokens: 20, freshTailCount: 0, minMessagesToCompact: 0 }
    /** Three compactions. Nothing is said between the last two. */
    async function threeRuns() {
      const memory = buildMemory({ conversations: [{}] })
      const history = generateHistory({ seed: 8, messages: 60 })
      const say = (from: number, to: number) =>
        memory.messages(
          1,
          history.slice(from, to).map(({ role, content }) => ({ role, content })),
        )
      const runs: string[] = []
      const run = async (mode: 'leaf' | 'full') => {
        const { result } = await compact(memory.db, { conversationId: 1, mode, settings })
        runs.push(result.runId ?? '')
      }
      say(0, 30)
      await run('leaf')
      say(30, 60)
      await run('leaf')
      await run('full')
      return { memory, runs }
    }

    it('lists what that run lost, whichever it was, and nothing of its neighbours', async () => {
      const { memory, runs } = await threeRuns()
      expect(new Set(runs).size).toBe(3)
      const reports = await Promise.all(runs.map((runId) => lossOf(memory, { runId })))
      for (const [index, report] of reports.entries()) {
        expect(report.dropped.length, `run ${index}`).toBeGreaterThan(0)
        expect(new Set(report.dropped.map((one) => one.runId))).toEqual(new Set([runs[index]]))
      }
      // The first two compressed messages, each its own ones; the last one compressed summaries only.
      const seqs = reports.map(({ dropped }) => dropped.map(({ seq }) => seq))
      expect(Math.max(...(seqs[0]?.map((seq) => seq ?? 0) ?? []))).toBeLessThan(30)
      expect(Math.min(...(seqs[1]?.map((seq) => seq ?? 0) ?? []))).toBeGreaterThanOrEqual(30)
      expect(seqs[2]?.every((seq) => seq === null)).toBe(true)
      expect((await lossOf(memory, {})).dropped).toEqual(reports[2]?.dropped)
      memory.close()
    })

    it('is refused for a run that is not there, for two questions at once, and for moments the wrong way round', async () => {
      const { memory, runs } = await threeRuns()
      await expect(lossOf(memory, { runId: 'run_nowhere' })).rejects.toMatchObject({ code: 'not_found' })
      await expect(lossOf(memory, { runId: runs[0], from: { messageId: 'msg_1' } })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'A loss report is about two moments (from, to) or about a run, not about both: give one of them.',
      })
      await expect(lossOf(memory, { from: { messageId: 'msg_40' }, to: { messageId: 'msg_2' } })).rejects.toMatchObject(
        {
          code: 'invalid_argument',
          message: 'from: This moment is later than the one given as to. Exchange the two.',
        },
      )
      await expect(lossOf(memory, { fromMessage: 'msg_40', toMessage: 'msg_2' })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: 'msg_40 comes after msg_2: a range begins with its earlier message. Exchange the two.',
      })
      await expect(lossOf(memory, { fromMessage: 'msg_999' })).rejects.toMatchObject({ code: 'not_found' })
      memory.close()
    })
  })

  it('is empty for a conversation that was never compacted, and says so', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['We use port 8123.', 'Good.'] }] })
    const report = await lossOf(memory, {})
    expect(report).toMatchObject({ dropped: [], changed: [], counts: { items: 0 } })
    expect(report.notes).toEqual(['This conversation was never compacted.'])
  })

  it('tells what fell when one summary was made', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['We use port 8123 for QuotaServer.', 'Good.'] }] })
    const id = memory.leaf(1, [1, 2], { content: 'They use QuotaServer.' })
    const report = await lossOf(memory, { summaryId: id })
    expect(report.dropped.map(({ text, atSummary }) => [text, atSummary])).toEqual([['8123', id]])
  })

  it('does not list what stands elsewhere in the window', async () => {
    using memory = buildMemory({
      conversations: [{ messages: ['The ticket is PAY-1187.', 'Good.', 'PAY-1187 is closed.'] }],
    })
    memory.leaf(1, [1, 2], { content: 'A ticket.', atMs: Date.UTC(2027, 0, 1) })
    const report = await lossOf(memory, { from: { messageId: 'msg_3' } })
    expect(report.dropped).toEqual([])
  })
})

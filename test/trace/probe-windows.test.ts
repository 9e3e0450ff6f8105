import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { Job } from '#core/contract/job.ts'
import { ProbeJobInput, type ProbeOutcome } from '#core/contract/probe.ts'
import { probeDocument, probeWindows } from '#core/jobs/probe-windows.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { generateHistory } from '../builders/history.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

const history = (): TestMemory =>
  buildMemory({
    conversations: [
      { messages: generateHistory({ seed: 5, messages: 120 }).map(({ content, role }) => ({ content, role })) },
    ],
  })

async function withLcm<T>(memory: TestMemory, use: (lcm: Lcm) => Promise<T>): Promise<T> {
  const lcm = await openLcm(memory.path, { readOnly: true })
  try {
    return await use(lcm)
  } finally {
    lcm.close()
    memory.close()
  }
}

const input = (more: Partial<ProbeJobInput> = {}) => ProbeJobInput.parse({ conversationId: 1, limit: 15, ...more })
const trials = () => readdirSync(tmpdir()).filter((name) => name.startsWith('lcm-trial-')).length

async function run(lcm: Lcm, asked: ProbeJobInput, signal = new AbortController().signal) {
  const seen: { done: number; total: number }[] = []
  const job = probeWindows(lcm, asked, {}, signal)
  for (;;) {
    const step = await job.next()
    if (step.done) return { outcome: step.value, seen }
    seen.push(step.value)
  }
}

const doneJob = (value: ProbeOutcome): Job => ({
  ...{ jobId: 'job_1', kind: 'probe', conversationId: 1, state: 'done', progress: null, startedAtMs: 0 },
  ...{ finishedAtMs: 0, error: null, result: { kind: 'probe', value } },
})

describe('a probe of several windows', () => {
  it('asks each window the same questions in the same order, and its progress never goes back', async () => {
    const memory = history()
    const bytes = () => readFileSync(memory.path)
    const before = bytes()
    const compare = [{ at: { messageId: 'msg_30' } }, { after: {} }]
    const { outcome, seen } = await withLcm(memory, async (lcm) => {
      const probed = await run(lcm, input({ compare }))
      expect(bytes().equals(before)).toBe(true)
      return probed
    })
    expect(outcome.reports.map(({ name }) => name)).toEqual(['now', 'at msg_30', 'after a compaction'])
    const [first] = outcome.reports
    for (const { report } of outcome.reports)
      expect(report.questions.map(({ question }) => question)).toEqual(
        first?.report.questions.map(({ question }) => question),
      )
    expect(outcome.asked).toMatchObject({ compare, isGiven: false })
    const done = seen.map((step) => step.done)
    expect(done).toEqual(done.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toMatchObject({ done: 45, total: 45 })
    expect(trials()).toBe(0)
  })

  it('stops when it is cancelled, also in the middle of a compaction that is tried, and leaves no copy', async () => {
    await withLcm(history(), async (lcm) => {
      const abort = new AbortController()
      const job = probeWindows(lcm, input({ compare: [{ after: {} }] }), {}, abort.signal)
      const untilCopied = async () => {
        for (;;) {
          const { value, done } = await job.next()
          if (done || ('note' in value && value.note.startsWith('compacting'))) return
        }
      }
      await untilCopied()
      abort.abort()
      await expect(untilCopied()).rejects.toMatchObject({ code: 'cancelled' })
      expect(trials()).toBe(0)
    })
  })

  it('refuses an unknown summariser before anything is asked', async () => {
    await withLcm(history(), async (lcm) => {
      const compare = [{ after: { summarizer: 'none' } }]
      await expect(run(lcm, input({ compare }))).rejects.toThrow('no such summariser')
    })
  })

  it('is written as Markdown or HTML, and a job that found nothing is refused with what to do', async () => {
    await withLcm(history(), async (lcm) => {
      const { outcome } = await run(lcm, input())
      const jobs = [doneJob(outcome)]
      const markdown = probeDocument(lcm, jobs, { jobId: 'job_1', format: 'markdown' })
      expect(markdown).toMatchObject({
        mediaType: 'text/markdown',
        fileName: expect.stringMatching(/^probe-.*-1\.md$/),
      })
      expect(markdown.text).toContain('# Would the agent have remembered?')
      expect(probeDocument(lcm, jobs, { jobId: 'job_1', format: 'html' }).text).toMatch(/^<!doctype html>/i)
      expect(() => probeDocument(lcm, jobs, { jobId: 'job_2', format: 'html' })).toThrow('run the probe again')
    })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeterministicSummarizer } from '#core/models/summarizers/deterministic.ts'
import type { SourceEntry, SummaryRequest } from '#core/models/summarizers/summarizer.ts'
import { createTokenEstimator, TOKEN_ESTIMATORS } from '#core/models/token-estimator.ts'
import { processorClock } from '../builders/busy-machine.ts'
import { STORY_BEGINS_MS } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'

const estimator = createTokenEstimator()
const entry = (text: string, spec: Partial<SourceEntry> = {}): SourceEntry => ({
  id: 'msg_1',
  kind: 'message',
  role: 'user',
  atMs: STORY_BEGINS_MS,
  text,
  calls: [],
  answer: null,
  ...spec,
})
const says = (text: string, minute = 1): SourceEntry =>
  entry(text, { role: 'assistant', atMs: STORY_BEGINS_MS + minute * 60_000 })
const answers = (text: string, isError = false): SourceEntry =>
  entry(text, { role: 'tool', answer: { name: 'bash', isError } })

async function summarize(
  entries: readonly SourceEntry[],
  spec: Partial<SummaryRequest> = {},
  by = estimator,
): Promise<string> {
  const sourceTokens = entries.reduce((sum, { text }) => sum + by.count(text), 0)
  const base = { depth: 0, level: 'deterministic', targetTokens: 600, previousSummary: null } as const
  const request = { ...base, sourceTokens, entries, ...spec }
  return (await createDeterministicSummarizer(by).summarize(request, new AbortController().signal)).text
}

const chatter = Array.from({ length: 60 }, (_, index) =>
  says(`Looking at item ${index} of the list now, nothing special.`, 2),
)
const filler = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `09:00:${index} INFO worker: heartbeat ${index * 17} ok`).join('\n')

describe('an extract', () => {
  it('keeps the question and the result, with speaker and time', async () => {
    const text = await summarize([
      entry('Why do invoices vanish after the nightly export?'),
      ...chatter,
      says(
        'Root cause: exportInvoices() deletes rows before the upload has finished; fixed in src/billing/export.ts.',
        9,
      ),
    ])
    expect(text).toContain('2026-03-02 09:00Z user: Why do invoices vanish after the nightly export?')
    expect(text).toContain('09:09Z assistant: Root cause: exportInvoices() deletes rows')
  })

  it('keeps the error of a long log', async () => {
    const log = `${filler(200)}\nTypeError: Cannot read properties of undefined (reading 'total')\n${filler(200)}`
    const text = await summarize([entry('Run the export.'), answers(log, true), says('It failed.')])
    expect(text).toContain("TypeError: Cannot read properties of undefined (reading 'total')")
    expect(text.match(/heartbeat/g)?.length ?? 0).toBeLessThan(3)
  })

  it('finds the error in the middle of an enormous log', async () => {
    const log = `${filler(20_000)}\nFATAL: disk quota exceeded on /var/lib/ledger\n${filler(20_000)}`
    const text = await summarize([entry('Run it.'), answers(log)])
    expect(text).toContain('disk quota exceeded on /var/lib/ledger')
  })

  it('keeps the command and the path of a call', async () => {
    const calls = [{ name: 'bash', input: '{"command":"npm test -- src/cache/load.test.ts --bail 3"}' }]
    const text = await summarize([entry('Test it.'), entry('', { role: 'assistant', calls }), answers(filler(50))])
    expect(text).toContain('call bash: npm test -- src/cache/load.test.ts --bail 3')
  })

  it('works for languages without any known keyword', async () => {
    const talk = Array.from({ length: 40 }, (_, index) => says(`第${index}步正在进行，没有什么特别的。`))
    const text = await summarize([
      entry('请检查数据库连接为什么在凌晨三点断开？'),
      ...talk,
      says('结论是连接池大小设置为二，夜间备份占用了全部连接。'),
    ])
    expect(text).toContain('数据库连接')
    expect(text).toContain('夜间备份占用了全部连接')
  })

  it('contains a repeated line once', async () => {
    const text = await summarize([
      entry('Go.'),
      answers('Compiling module 12 of 90\n'.repeat(300)),
      says('Compiled all.'),
    ])
    expect(text.match(/Compiling module/g)?.length).toBe(1)
  })

  it('ends by naming what it left out', async () => {
    const list = chatter.map((_, index) =>
      says(`Then src/part-${index}/load.ts calls resolveBatch${index}() twice for every lease.`),
    )
    const text = await summarize([entry('List them.'), ...list], { targetTokens: 200 })
    expect(text.split('\n').at(-1)).toMatch(/^Expand for details about: .+\.$/)
  })

  it('keeps speakers and times of extracts without nesting them', async () => {
    const first = await summarize([
      entry('What broke the login?'),
      ...chatter,
      says('The cookie expired: session.ts used seconds.', 4),
    ])
    const second = await summarize([entry('And the logout?'), ...chatter, says('Fixed in commit 4fd44d5.', 8)])
    const summary = (text: string): SourceEntry => entry(text, { kind: 'summary', role: null })
    const text = await summarize([summary(first), summary(second)], { depth: 1, targetTokens: 120, sourceTokens: 400 })
    expect(text).toContain('user: What broke the login?')
    expect(text).toContain('09:08Z assistant: Fixed in commit 4fd44d5.')
    expect(text.match(/Expand for details about/g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(text).not.toMatch(/user: .*user: /)
  })
})

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const LABELS = words('user assistant tool call result error expand for details about messages without text')

describe('an extract of any sources', () => {
  const sources = fc.array(
    fc.record({
      text: fc.oneof(
        fc.lorem({ mode: 'sentences', maxCount: 30 }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('', '…', '-'.repeat(500)),
      ),
      role: fc.constantFrom('user' as const, 'assistant' as const),
    }),
    { minLength: 1, maxLength: 30 },
  )

  it('is never empty and always smaller than its sources, by every estimator', async () => {
    for (const name of TOKEN_ESTIMATORS) {
      const by = createTokenEstimator(name)
      await fc.assert(
        fc.asyncProperty(sources, fc.integer({ min: 1, max: 900 }), async (list, targetTokens) => {
          const entries = list.map(({ text, role }) => entry(text, { role }))
          const sourceTokens = entries.reduce((sum, { text }) => sum + by.count(text), 0)
          if (sourceTokens < 2) return
          const text = await summarize(entries, { targetTokens }, by)
          expect(text.trim()).not.toBe('')
          expect(by.count(text)).toBeLessThan(sourceTokens)
          expect(by.count(text)).toBeLessThanOrEqual(Math.max(1, targetTokens))
        }),
        { numRuns: runs(60) },
      )
    }
  })

  it('contains only words of its sources, labels and times', async () => {
    await fc.assert(
      fc.asyncProperty(sources, async (list) => {
        const entries = list.map(({ text, role }) => entry(text, { role }))
        const known = new Set([...entries.flatMap(({ text }) => words(text)), ...LABELS])
        const text = await summarize(entries, { targetTokens: 300, sourceTokens: 100_000 })
        const said = text.replace(/^(\d{4}-\d\d-\d\d )?\d\d:\d\dZ /gm, '').split('\n')
        for (const line of said) {
          // A cut line may end inside a word.
          const own = line.endsWith('…') || line.includes('…,') ? words(line).slice(0, -1) : words(line)
          if (!line.includes('…')) expect(own.filter((word) => !known.has(word) && !/^\d+$/.test(word))).toEqual([])
        }
      }),
      { numRuns: runs(60) },
    )
  })
})

it('an extract takes time in proportion to the length of hostile text', async () => {
  for (const unit of ['a', 'A/', '.', ' ;', '错', 'error ', '\u001b[31m', '\n', 'x_', ')']) {
    const usedMs = processorClock()
    await summarize([answers(unit.repeat(2_000_000 / unit.length), true), entry(unit.repeat(100_000))])
    expect(usedMs(), `two megabytes of ${JSON.stringify(unit)}`).toBeLessThan(10_000)
  }
})

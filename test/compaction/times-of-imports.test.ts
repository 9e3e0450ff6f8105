import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CompactInput } from '#core/contract/compaction.ts'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { runToEnd } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const signal = new AbortController().signal
const DAY_MS = 86_400_000
const MARCH_MS = Date.UTC(2026, 2, 2, 9, 14)

const line = (at: number, more: object = {}): string =>
  `${JSON.stringify({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Step ${at}: the lease of room ${at} ends in May. `.repeat(12), ...more })}\n`
const lines = (from: number, to: number, more?: (at: number) => object): string =>
  Array.from({ length: to - from }, (_, index) => line(from + index, more?.(from + index))).join('')

type Summary = { readonly id: string; readonly depth: number; readonly content: string }

/** Imports the pieces of a transcript one after another, a day apart, and compacts what came of it. */
async function summariesOf(pieces: readonly string[], firstImportMs: number): Promise<Summary[]> {
  const folder = temporaryFolder()
  const [path, transcript] = [join(folder, 'lcm.db'), join(folder, 'talk.jsonl')]
  let nowMs = firstImportMs
  using lcm = await openLcm(path, { create: true, clock: () => nowMs })
  writeFileSync(transcript, '')
  for (const piece of pieces) {
    appendFileSync(transcript, piece)
    const given = { db: lcm.requireWrite('import'), estimator: createTokenEstimator(), clock: () => nowMs }
    const input = { ...given, paths: [transcript], format: 'auto', window: 'agent', files: null } as const
    await runToEnd(importTranscripts(input, signal))
    nowMs += DAY_MS
  }
  const input = CompactInput.parse({ conversationId: 1, mode: 'full' })
  await runToEnd(lcm.compactionEngine().compact(input, signal))
  return lcm.read.all<Summary>('SELECT summary_id AS id, depth, content FROM summaries ORDER BY summary_rowid')
}

it('a transcript without times gives the same summaries whenever it is imported, and no time in them', async () => {
  const first = await summariesOf([lines(0, 400)], MARCH_MS)
  const second = await summariesOf([lines(0, 400)], MARCH_MS + 40 * DAY_MS)
  const inPieces = await summariesOf([lines(0, 90), lines(90, 91), lines(91, 400)], MARCH_MS + 90 * DAY_MS)
  expect(Math.max(...first.map(({ depth }) => depth))).toBeGreaterThan(0)
  expect(second).toEqual(first)
  expect(inPieces).toEqual(first)
  expect(first.filter(({ content }) => /\b2026-\d\d-\d\d|\d\d:\d\dZ/.test(content))).toEqual([])
})

it('shows the times that a transcript gives, and none for the messages before the first of them', async () => {
  const timed = (at: number): object => (at < 60 ? {} : { timestamp: new Date(MARCH_MS + at * 60_000).toISOString() })
  const [first, ...others] = await summariesOf([lines(0, 200, timed)], MARCH_MS + 40 * DAY_MS)
  expect(first?.content).not.toMatch(/2026-/)
  expect(others.some(({ content }) => content.includes('2026-03-02'))).toBe(true)
  expect(others.filter(({ content }) => content.includes('2026-04-'))).toEqual([])
})

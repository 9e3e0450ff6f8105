import { expect, it } from 'vitest'
import type { MapRun } from '../../core/contract/map.ts'
import { countsText, operatorText, runsText, statusHint, triesText } from '../../renderer/features/map/run-wording.ts'

/** Numbers keep their unit on the same line by a space that does not break. */
const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

const run = (spec: Partial<MapRun> = {}): MapRun => ({
  key: 'a',
  runId: 'a',
  operator: 'llm',
  actor: 'lcm',
  atMs: 0,
  items: 60,
  completed: 58,
  failed: 2,
  retries: 1,
  status: 'failed',
  retain: null,
  hashes: {},
  hasJournal: true,
  ...spec,
})

it('the figures of a run name failures and retries only where there are some', () => {
  expect(plain(countsText(run()))).toBe('58 of 60 completed, 2 failed, 1 retry')
  expect(plain(countsText(run({ items: 1_200, completed: 1_200, failed: 0, retries: 0 })))).toBe(
    '1,200 of 1,200 completed',
  )
  expect(plain(countsText(run({ completed: null, failed: null, retries: null })))).toBe('60 items')
})

it('a run of another program is said to be recorded, and no more', () => {
  expect(statusHint(run({ runId: null, status: 'completed' }))).toBe('As the program says that recorded it')
  expect(statusHint(run({ status: 'completed' }))).toBe('Every item has a result')
  expect(operatorText(run({ operator: 'agentic', retain: 'the end' }))).toBe('map agentic, retained: the end')
  expect(operatorText(run({ operator: null }))).toBe('unknown operation')
})

it('the line above the runs says what is missing from them', () => {
  const runs = [run(), run({ status: 'completed' })]
  expect(plain(runsText({ path: '/x', runs, unreadable: 1, isCut: true }))).toBe(
    'the newest of more · 1 failed · 1 line of the record cannot be read',
  )
  expect(runsText({ path: '/x', runs: [], unreadable: 0, isCut: false })).toBe('')
})

it('a retry has the number of its try, and a result the number of all', () => {
  const step = { at: 0, index: 0, text: '', itemHash: null, outputHash: null, atMs: 0 }
  expect(plain(triesText({ ...step, kind: 'retry', attempts: 2 }))).toBe('try 2')
  expect(plain(triesText({ ...step, kind: 'failed', attempts: 3 }))).toBe('3 tries')
  expect(plain(triesText({ ...step, kind: 'completed', attempts: 1 }))).toBe('1 try')
})

import { expect, it } from 'vitest'
import type { GrepHit } from '#core/contract/retrieval.ts'
import {
  batchesOf,
  type HitStates,
  inState,
  placesOfWords,
  scopeOfVerdict,
  stateCounts,
  stateOf,
} from '#renderer/features/search/hit-states.ts'
import { tracedWords } from '#renderer/ui/data/traced-words.ts'

const hit = (id: string, more: Partial<GrepHit> = {}): GrepHit => ({
  ...{ id, kind: 'message', conversationId: 1, seq: 1, role: 'user', depth: null, createdAtMs: null },
  ...{ field: 'content', snippet: '', matches: [], coveredBy: [], coverInWindow: null, isSeenInCover: false },
  ...{ inContext: false, isPartial: false, ...more },
})
const PAGES = [
  [hit('msg_1'), hit('msg_2')],
  [hit('msg_3'), hit('msg_1')],
]
const state = (of: 'kept' | 'dropped' | 'changed') => ({ state: of, inWindow: false })
const STATES: HitStates = new Map([
  ['msg_1', state('dropped')],
  ['msg_2', state('changed')],
])
const idsIn = (pages: readonly (readonly GrepHit[])[]) => pages.map((page) => page.map(({ id }) => id))

it('traces each hit once, in batches, and no files', () => {
  const many = Array.from({ length: 30 }, (_, index) => hit(`msg_${index}`))
  const others = [hit('file_1', { kind: 'file' }), hit('msg_99', { inContext: true }), hit('msg_3')]
  const batches = batchesOf([many, others])
  expect(batches.flat()).toEqual([...many.map(({ id }) => id), 'msg_99'])
  expect(batches.map((batch) => batch.length)).toEqual([12, 12, 7])
})

it('lists a hit that is still being traced among all, and under no state', () => {
  expect(idsIn(inState(PAGES, STATES, 'all'))).toEqual([
    ['msg_1', 'msg_2'],
    ['msg_3', 'msg_1'],
  ])
  expect(idsIn(inState(PAGES, STATES, 'lost'))).toEqual([['msg_1', 'msg_2'], ['msg_1']])
  for (const filter of ['kept', 'partly', 'unknown'] as const) expect(inState(PAGES, STATES, filter).flat()).toEqual([])
})

it('counts each message once, however many of its texts were hit, and none without a state', () => {
  expect([...stateCounts(PAGES, STATES)]).toEqual([
    ['dropped', 1],
    ['changed', 1],
  ])
})

it('says of a hit without a state that it is being traced, and afterwards that it was not traced', () => {
  expect(stateOf(STATES, 'msg_1', true)).toEqual(state('dropped'))
  expect(stateOf(STATES, 'msg_3', true)).toBe('tracing')
  expect(stateOf(STATES, 'msg_3', false)).toBe('untraced')
})

it('gives a verdict over the hits that have all the words, once each of them is traced', () => {
  expect(placesOfWords(PAGES, STATES)).toEqual([])
  const all = new Map([...STATES, ['msg_3', state('kept')]])
  expect(placesOfWords(PAGES, all).map((place) => place.state)).toEqual(['dropped', 'changed', 'kept'])
  const other = [hit('msg_4', { isPartial: true }), hit('file_1', { kind: 'file' })]
  expect(placesOfWords([...PAGES, other], all)).toHaveLength(3)
})

it('says which hits the verdict is about where some lack words or are not loaded yet', () => {
  expect(scopeOfVerdict(3, PAGES, false)).toBeNull()
  expect(scopeOfVerdict(2, PAGES, false)).toBe('in the 2 hits that have all the words')
  expect(scopeOfVerdict(3, PAGES, true)).toBe('in the first 3 hits that have all the words')
})

it('traces the words of a search without its signs, and a pattern as a whole', () => {
  expect(tracedWords('"single flight" refresh* OR retry NOT flaky')).toBe('single flight refresh retry')
  expect(tracedWords('PAY-\\d{4}', 'regex')).toBe(null)
  expect(tracedWords('a "b" OR', 'literal')).toBe('a "b" OR')
  expect(tracedWords(' * ')).toBe(null)
})

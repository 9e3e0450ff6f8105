import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MapRun } from '#core/contract/map.ts'
import { EMPTY_MAP, type MapForm, mapOf, splitCommand } from '#renderer/features/map/map-form.ts'
import { countsText, operatorText, runsText, statusHint, triesText } from '#renderer/features/map/run-wording.ts'

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

describe('the form of a run', () => {
  const llm: MapForm = { ...EMPTY_MAP, input: '/items.json', prompt: 'Rate {{item}}', schema: '{"type":"object"}' }
  const agentic: MapForm = { ...EMPTY_MAP, operator: 'agentic', input: '/items.json', command: './a b', retain: 'all' }

  it('asks the chain or the first model unless another one was chosen', () => {
    expect(mapOf(llm, ['chain', 'local'])).toMatchObject({ map: { operator: 'llm', summarizer: 'chain', retries: 2 } })
    expect(mapOf({ ...llm, summarizer: 'local' }, ['chain', 'local'])).toMatchObject({ map: { summarizer: 'local' } })
    expect(mapOf({ ...llm, summarizer: 'removed' }, ['local'])).toMatchObject({ map: { summarizer: 'local' } })
  })

  it('sends a delegation without what belongs to a model', () => {
    expect(mapOf({ ...agentic, prompt: 'kept for later', summarizer: 'local' }, [])).toEqual({
      map: {
        ...{ operator: 'agentic', input: '/items.json', again: false, concurrency: 4, retries: 2, timeoutSeconds: 600 },
        ...{ command: ['./a', 'b'], retain: 'all', schema: undefined },
      },
    })
  })

  it.each([
    ['input', { ...llm, input: ' ' }],
    ['prompt', { ...llm, prompt: 'Rate it' }],
    ['schema', { ...llm, schema: '' }],
    ['schema', { ...agentic, schema: '{' }],
    ['command', { ...agentic, command: ' ' }],
    ['command', { ...agentic, command: './a "b' }],
    ['retain', { ...agentic, retain: '\n' }],
    ['concurrency', { ...agentic, concurrency: '65' }],
    ['retries', { ...llm, retries: '1.5' }],
    ['timeoutSeconds', { ...agentic, timeoutSeconds: '0' }],
  ] as const)('names the field that cannot be used: %s', (field, form) => {
    expect(mapOf(form, ['local'])).toEqual({ problems: { [field]: expect.any(String) } })
  })

  it('says that a model is missing where none is configured', () => {
    expect(mapOf(llm, [])).toMatchObject({ problems: { summarizer: expect.stringContaining('Set up a model') } })
  })
})

// Invariant: a command in the form is started with exactly the words that stand in quotation marks or between blanks.
it('every list of words can be written as a command and is read as the same list (property)', () => {
  const quoted = (word: string): string =>
    word
      .split("'")
      .map((part) => `'${part}'`)
      .join(`"'"`)
  fc.assert(
    fc.property(fc.array(fc.string()), fc.constantFrom(' ', '\t', '\n  '), (words, blank) => {
      expect(splitCommand(words.map(quoted).join(blank))).toEqual(words)
    }),
  )
  expect(splitCommand('a  b="c d" e')).toEqual(['a', 'b=c d', 'e'])
  expect(splitCommand(' C:\\tools\\run.exe $HOME ')).toEqual(['C:\\tools\\run.exe', '$HOME'])
})

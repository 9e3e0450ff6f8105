import { expect, it } from 'vitest'
import { compare, comparisonText, turns } from './comparison.ts'

const figure = (name: string, comparison: ReturnType<typeof compare>) =>
  comparison.figures.find((one) => one.name === name)

it('lets each build begin in every second round', () => {
  expect(turns(3)).toEqual(['old', 'new', 'new', 'old', 'old', 'new'])
})

it('pairs figures by their place in the document and compares their medians', () => {
  const round = (p50: number) => ({ read: { transcriptPage: { p50, max: 99, runs: 40 } }, searchedLarger: null })
  const { figures } = compare([round(4), round(2), round(90)], [round(2), round(1), round(3)])
  expect(figures).toEqual([{ name: 'read.transcriptPage.p50', old: 4, new: 2, ratio: 0.5, isWorse: false }])
})

it('takes the mean of the middle two when the number of rounds is even', () => {
  const [only] = compare([{ p50: 1 }, { p50: 3 }], [{ p50: 4 }, { p50: 2 }]).figures
  expect(only).toMatchObject({ old: 2, new: 3 })
})

it('names an item of a list by its text', () => {
  const round = { checked: { phases: [{ phase: 'structure', durationMs: 5 }] } }
  expect(compare([round], [round]).figures.map(({ name }) => name)).toEqual(['checked.phases.structure.durationMs'])
})

it('calls a time worse above 1.1, megabytes above 1.05, and a rate below 1 ÷ 1.1', () => {
  const old = { p95: 100, p50: 100, peakMegabytes: 100, endMegabytes: 100, messagesPerSecond: 100, speedUp: 100 }
  const now = { p95: 111, p50: 110, peakMegabytes: 106, endMegabytes: 105, messagesPerSecond: 90, speedUp: 200 }
  const compared = compare([old], [now])
  expect(compared.figures.filter(({ isWorse }) => isWorse).map(({ name }) => name)).toEqual([
    'p95',
    'peakMegabytes',
    'messagesPerSecond',
  ])
  expect(figure('speedUp', compared)?.ratio).toBe(2)
})

it('calls a figure unchanged when both are zero, and worse when only the old one was', () => {
  const compared = compare([{ firstMs: 0, secondMs: 0 }], [{ firstMs: 0, secondMs: 1 }])
  expect(figure('firstMs', compared)).toMatchObject({ ratio: 1, isWorse: false })
  expect(figure('secondMs', compared)?.isWorse).toBe(true)
})

it('lists figures that only one build has instead of comparing them', () => {
  const compared = compare([{ both: 1, gone: 1 }], [{ both: 1, added: 1 }])
  expect(compared).toMatchObject({ onlyOld: ['gone'], onlyNew: [{ name: 'added', new: 1 }] })
  expect(compared.figures).toHaveLength(1)
})

it('prints one row for each figure, also when the old benchmark lacks it, and marks and counts the worse ones', () => {
  const old = { open: { wallMs: 1234.5 }, endMegabytes: 10, gone: 1 }
  const now = { open: { wallMs: 2469 }, endMegabytes: 10, addedMs: 3 }
  expect(comparisonText(compare([old], [now]))).toBe(
    [
      '                old    new  new ÷ old',
      'open.wallMs   1,230  2,470       2.00  worse',
      'endMegabytes     10     10       1.00',
      'addedMs           –      3          –',
      '',
      '1 of 2 figures are worse: slower than 1.1 × or, in megabytes, more than 1.05 ×.',
      'Only the old benchmark has: gone',
    ].join('\n'),
  )
})

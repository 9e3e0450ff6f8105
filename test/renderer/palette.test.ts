import { describe, expect, it } from 'vitest'
import { findEntries, type PaletteEntry, restingEntries, typedId } from '#renderer/frame/palette-entries.ts'
import { VIEW_LIST, viewOfLetter, viewsOf } from '#renderer/views.ts'

const entry = (label: string, words = ''): PaletteEntry => ({
  key: label,
  group: 'Actions',
  label,
  words,
  run: () => undefined,
})

describe('the command palette', () => {
  const entries = [entry('Open the sample'), entry('Strata'), entry('Check integrity', 'scan'), entry('Transcript')]
  const labels = (text: string, limit = 10) => findEntries(entries, text, limit).map(({ label }) => label)

  it('shows everything in its order before anything is typed', () => {
    expect(labels('')).toEqual(['Open the sample', 'Strata', 'Check integrity', 'Transcript'])
  })

  it('puts matches at the beginning before those in the middle, and names before keywords', () => {
    expect(labels('s')).toEqual(['Strata', 'Open the sample', 'Transcript', 'Check integrity'])
  })

  it('begins with what was used last and the newest conversations, and ends with the views', () => {
    const of = (group: PaletteEntry['group'], label: string): PaletteEntry => ({
      ...{ key: label, group, label },
      run: () => undefined,
    })
    const all = [
      of('Go to', 'Start'),
      of('Go to', 'Find'),
      of('Actions', 'Keys'),
      ...Array.from({ length: 7 }, (_, index) => of('Conversations', `talk ${index}`)),
    ]
    const shown = restingEntries(all, ['Find', 'gone', 'talk 1'])
    expect(shown.map(({ group, label }) => `${group}: ${label}`)).toEqual([
      ...['Recent: Find', 'Recent: talk 1'],
      ...[0, 2, 3, 4, 5].map((index) => `Conversations: talk ${index}`),
      ...['Actions: Keys', 'Go to: Start'],
    ])
  })

  it('requires every typed word', () => {
    expect(labels('open sample')).toEqual(['Open the sample'])
    expect(labels('open strata')).toEqual([])
  })

  it('shows no more entries than its limit', () => {
    expect(labels('', 2)).toHaveLength(2)
  })

  it('recognises ids', () => {
    expect(typedId(' msg_2548 ')).toBe('msg_2548')
    expect(typedId('sum_9c1f4e02ab77d310')).toBe('sum_9c1f4e02ab77d310')
    expect(typedId('file_bc41d6fa84e24853')).toBe('file_bc41d6fa84e24853')
    expect(typedId('summary of it')).toBeNull()
    expect(typedId('strata')).toBeNull()
  })
})

it('reaches every view by a letter of its own', () => {
  expect(new Set(VIEW_LIST.map(({ letter }) => letter)).size).toBe(VIEW_LIST.length)
})

it('opens by its letter what was a view of its own, as an address of it does', () => {
  expect(viewOfLetter('s')).toEqual({ view: 'layers' })
  expect(viewOfLetter('n')).toEqual({ view: 'layers', shown: { 'layers.form': 'tree' } })
  expect(viewOfLetter('z')).toBeNull()
})

it('offers six views of a conversation, two of its file, and the others in menus', () => {
  expect(viewsOf('conversation').map(({ label }) => label)).toEqual([
    'Start',
    'Find',
    'Messages',
    'Window',
    'Layers',
    'Compact',
  ])
  expect(viewsOf('file').map(({ label }) => label)).toEqual(['Health', 'Compare'])
})

import { describe, expect, it } from 'vitest'
import {
  findEntries,
  keyInFile,
  type PaletteEntry,
  restingEntries,
  typedId,
  withUsed,
} from '#renderer/frame/palette-entries.ts'
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
    const shown = restingEntries(all, ['Find', 'gone', 'talk 1'], 60)
    expect(shown.map(({ group, label }) => `${group}: ${label}`)).toEqual([
      ...['Recent: Find', 'Recent: talk 1'],
      ...[0, 2, 3, 4, 5].map((index) => `Conversations: talk ${index}`),
      ...['Actions: Keys', 'Go to: Start'],
    ])
  })

  it('shows no more entries than its limit before something is typed, and those that were used last first', () => {
    const many = Array.from({ length: 100 }, (_, index) => entry(`action ${index}`))
    const recentKeys = many.slice(50, 60).map(({ key }) => key)
    const shown = restingEntries(many, recentKeys, 60)
    expect(shown).toHaveLength(60)
    expect(shown.filter(({ group }) => group === 'Recent').map(({ key }) => key)).toEqual(recentKeys.slice(0, 5))
  })

  it('remembers what was used among the entries that it knows, and neither a search nor an id', () => {
    expect(withUsed(['Strata'], 'Transcript', entries)).toEqual(['Transcript', 'Strata'])
    for (const key of ['search', 'id msg_1', 'transcript msg_1'])
      expect(withUsed(['Strata'], key, entries)).toEqual(['Strata'])
  })

  it('offers a conversation as used last in its own file only, and loses none to those of other files', () => {
    const inFile = (path: string, ids: readonly number[]) =>
      ids.map((id) => ({ ...entry(''), key: keyInFile('conversation', id, path) }))
    const [here, elsewhere] = [inFile('/a.db', [1, 2]), inFile('/b.db', [1, 2, 3, 4, 5, 6])]
    let keys: readonly string[] = []
    for (const used of here) keys = withUsed(keys, used.key, here)
    for (const used of elsewhere) keys = withUsed(keys, used.key, elsewhere)
    const recentOf = (known: readonly PaletteEntry[]) =>
      restingEntries(known, keys, 60).flatMap(({ group, key }) => (group === 'Recent' ? key : []))
    expect(recentOf(here)).toEqual([here[1]?.key, here[0]?.key])
    expect(recentOf(elsewhere)).toHaveLength(5)
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

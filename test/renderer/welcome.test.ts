import { describe, expect, it } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import type { Probe } from '#core/contract/machine.ts'
import { FIRST_SHOWN, MORE_SHOWN, shortList, shortMemories } from '#renderer/features/welcome/found-list.tsx'
import { isSound } from '#renderer/features/welcome/import-report.tsx'
import { sortDropped } from '#renderer/features/welcome/sort-dropped.ts'

describe('dropped files', () => {
  const memory = (path: string): Probe => ({ path, kind: 'memory', system: 'native', error: null })
  const transcript = (path: string): Probe => ({ path, kind: 'transcript', system: null, error: null })
  const unusable = (path: string, details?: Record<string, unknown>): Probe => ({
    path,
    kind: 'unusable',
    system: null,
    error: { code: 'file_is_folder', message: 'a folder', retryable: false, ...(details && { details }) },
  })

  it('are imported together when they are transcripts, unless the first memory among them is opened', () => {
    const dropped = [unusable('/a/b.txt'), memory('/a/lcm.db'), transcript('/a/sessions'), transcript('/a/y.log')]
    expect(sortDropped(dropped)).toEqual({ memory: '/a/lcm.db', transcripts: ['/a/sessions', '/a/y.log'] })
    expect(sortDropped([])).toEqual({ memory: null, transcripts: [] })
  })

  it('are opened when they are a folder that holds a memory', () => {
    expect(sortDropped([unusable('/a', { suggestion: '/a/lcm.db' })]).memory).toBe('/a/lcm.db')
  })

  it('lead to a page that says why none of them can be used', () => {
    expect(sortDropped([unusable('/a/b.txt')])).toEqual({ memory: '/a/b.txt', transcripts: [] })
  })
})

it('names memories of one name with their folders, also where the other one is not shown', () => {
  const paths = ['/a/pi/medium.db', '/a/claw/small.db', '/a/x.db', '/a/y.db', '/a/claw/medium.db']
  const rows = paths.map((path) => ({
    path,
    label: path.split('/').at(-1)?.replace('.db', '') ?? '',
  }))
  const shown = shortMemories(rows, 2)
  expect(shown.rows.map(({ label }) => label)).toEqual(['pi/medium', 'small'])
  expect(shown.hidden).toBe(3)
  expect(shortMemories(rows, 5).rows.at(-1)?.label).toBe('claw/medium')
})

describe('an import from the first page', () => {
  const file: ImportedFile = {
    path: '/a.jsonl',
    format: 'claude-code',
    conversationId: 1,
    sessionId: 's',
    conversations: [{ conversationId: 1, sessionId: 's', title: null, added: 3, alreadyThere: 0 }],
    conversationCount: 1,
    added: 3,
    alreadyThere: 0,
    completed: 0,
    conflicts: 0,
    compactions: 0,
    otherRecords: 0,
    skipped: [],
    skippedCount: 0,
    newer: null,
    error: null,
  }
  const sound = (files: ImportedFile[]) =>
    isSound({
      files,
      passedOver: [],
      passedOverCount: 0,
      added: 3,
      alreadyThere: 0,
      skipped: 0,
      bytes: 1,
      durationMs: 1,
      largeFiles: [],
    })

  it('is shown before its memory is opened when anything did not arrive', () => {
    expect(sound([file])).toBe(true)
    expect(sound([file, { ...file, skippedCount: 1 }])).toBe(false)
    expect(sound([{ ...file, conflicts: 1 }])).toBe(false)
    expect(sound([{ ...file, error: 'unreadable' }])).toBe(false)
  })
})

describe('a long list of transcripts', () => {
  const names = Array.from({ length: 300 }, (_, n) => `project ${n}`)
  const list = (filter: string, shown = FIRST_SHOWN, all = names) => shortList(all, (name) => name, filter, shown)

  it('shows its beginning and says how many are hidden', () => {
    expect(list('')).toEqual({ rows: names.slice(0, FIRST_SHOWN), matching: 300, hidden: 290 })
    expect(list('', FIRST_SHOWN + 3 * MORE_SHOWN)).toEqual({ rows: names, matching: 300, hidden: 0 })
  })

  it('is shown whole when only a few would be hidden', () => {
    expect(list('', FIRST_SHOWN, names.slice(0, FIRST_SHOWN + 2)).hidden).toBe(0)
    expect(list('', FIRST_SHOWN, names.slice(0, FIRST_SHOWN + 3)).hidden).toBe(3)
  })

  it('is filtered as a whole, by every typed word in any case', () => {
    expect(list('299 Project').rows).toEqual(['project 299'])
    expect(list('nothing')).toEqual({ rows: [], matching: 0, hidden: 0 })
  })
})

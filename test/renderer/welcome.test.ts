import { describe, expect, it } from 'vitest'
import type { ImportedFile } from '../../core/contract/import.ts'
import { isSound } from '../../renderer/features/welcome/import-outcome.ts'
import { sortDropped } from '../../renderer/features/welcome/sort-dropped.ts'

describe('files that are dropped', () => {
  it('are imported together when they are transcripts, else the first is opened', () => {
    expect(sortDropped(['/a/lcm.db', '/a/x.JSONL', '/a/y.jsonl'])).toEqual({
      memory: '/a/lcm.db',
      transcripts: ['/a/x.JSONL', '/a/y.jsonl'],
    })
    expect(sortDropped([])).toEqual({ memory: null, transcripts: [] })
  })

  it('without a path are none', () => {
    expect(sortDropped(['']).memory).toBeNull()
  })
})

describe('an import', () => {
  const file: ImportedFile = {
    path: '/a.jsonl',
    format: 'claude-code',
    conversationId: 1,
    sessionId: 's',
    added: 3,
    alreadyThere: 0,
    conflicts: 0,
    compactions: 0,
    otherRecords: 0,
    skipped: [],
    skippedCount: 0,
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
    })

  it('is shown before its memory is opened when anything did not arrive', () => {
    expect(sound([file])).toBe(true)
    expect(sound([file, { ...file, skippedCount: 1 }])).toBe(false)
    expect(sound([{ ...file, conflicts: 1 }])).toBe(false)
    expect(sound([{ ...file, error: 'unreadable' }])).toBe(false)
  })
})

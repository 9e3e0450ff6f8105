import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { StorageObject } from '#core/contract/storage.ts'
import { partsOf, storageRows } from '#renderer/features/storage/storage-rows.ts'
import { isMeasuredAtOnce } from '#renderer/features/storage/storage-view.tsx'
import { runs } from '../builders/property-runs.ts'

// There is no connection here.
vi.mock('#renderer/api.ts', () => ({ api: {} }))

const object = (name: string, of: string, bytes: number, kind: StorageObject['kind'] = 'table'): StorageObject => ({
  name,
  kind,
  of,
  bytes,
  payloadBytes: bytes,
  unusedBytes: 0,
  rows: null,
})

describe('the list of tables and indexes', () => {
  it('puts every index below its table, and the tables with the largest totals first', () => {
    const rows = storageRows([
      object('small', 'small', 60),
      object('messages_by_time', 'messages', 40, 'index'),
      object('messages', 'messages', 30),
    ])
    expect(rows.map(({ name, isPart, wholeBytes }) => [name, isPart, wholeBytes])).toEqual([
      ['messages', false, 70],
      ['messages_by_time', true, 40],
      ['small', false, 60],
    ])
  })

  it('puts the largest part of a full-text table first', () => {
    const parts = [
      object('fts_idx', 'fts', 4, 'search_index'),
      object('fts_data', 'fts', 90, 'search_index'),
      object('fts_content', 'fts', 50, 'search_text'),
    ]
    expect(storageRows(parts).map(({ name, isPart }) => [name, isPart])).toEqual([
      ['fts_data', false],
      ['fts_content', true],
      ['fts_idx', true],
    ])
  })

  it('shows every object exactly once', () => {
    const names = fc.constantFrom('a', 'b', 'c')
    const objects = fc.uniqueArray(fc.record({ name: fc.string(), of: names, bytes: fc.nat() }), {
      selector: ({ name }) => name,
    })
    fc.assert(
      fc.property(objects, (all) => {
        const rows = storageRows(all.map(({ name, of, bytes }) => object(name, of, bytes)))
        expect(rows.map(({ name }) => name).sort()).toEqual(all.map(({ name }) => name).sort())
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('the parts of a file', () => {
  it('include free pages and the log, and leave out what is empty', () => {
    const parts = partsOf({
      objects: [object('messages', 'messages', 100), object('by_time', 'messages', 20, 'index')],
      freePages: 2,
      pageBytes: 10,
      walBytes: 5,
    })
    expect(parts.map(({ use, bytes }) => [use, bytes])).toEqual([
      ['table', 100],
      ['index', 20],
      ['free', 20],
      ['log', 5],
    ])
  })
})

it('measures a small file without a click once, so that a button is there after it was cancelled', () => {
  expect(isMeasuredAtOnce([{ kind: 'integrity' }], 4096)).toBe(true)
  expect(isMeasuredAtOnce([{ kind: 'storage' }], 4096)).toBe(false)
  expect(isMeasuredAtOnce([], 1_000_000_000)).toBe(false)
})

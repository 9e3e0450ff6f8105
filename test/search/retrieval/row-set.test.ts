import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packedRows, unpackedRows } from '#core/search/indexes/row-set.ts'

it('row numbers are the same after they were packed, in order', () => {
  const row = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }))
  fc.assert(
    fc.property(fc.uniqueArray(row), (rows) => {
      expect(unpackedRows(packedRows(rows))).toEqual(rows.toSorted((a, b) => a - b))
    }),
  )
})

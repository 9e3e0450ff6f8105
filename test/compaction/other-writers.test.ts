import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OtherWriters } from '#core/compaction/other-writers.ts'
import { openNative } from '#core/sqlite/native.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const MARK = `INSERT INTO lcm_meta (key, value) VALUES ('mark', '1') ON CONFLICT (key) DO UPDATE SET value = value || '1'`

it('a compaction pauses after its transactions for ten seconds after somebody else has written, and for nothing else', () => {
  const path = join(temporaryFolder(), 'lcm.db')
  const [own, other] = [openNative(path), openNative(path)]
  let nowMs = 0
  const others = new OtherWriters(own, () => nowMs)
  expect(others.pauseAfterMs(2)).toBe(0)
  own.run(MARK)
  expect(others.pauseAfterMs(2)).toBe(0)

  other.run(MARK)
  // Longer than the transaction was, and never so long that the compaction stands still.
  expect(others.pauseAfterMs(2)).toBe(6)
  expect(others.pauseAfterMs(500)).toBe(30)
  nowMs = 9_000
  own.run(MARK)
  expect(others.pauseAfterMs(2)).toBe(6)
  nowMs = 11_000
  expect(others.pauseAfterMs(2)).toBe(0)
  other.run(MARK)
  expect(others.pauseAfterMs(2)).toBe(6)
  own.close()
  other.close()
})

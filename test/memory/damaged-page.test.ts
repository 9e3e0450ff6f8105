import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { openMemory } from '../builders/open-memory.ts'
import { losslessClawWriters } from '../builders/systems/lossless.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

/** Two conversations, of which the first has a page with some of its messages that cannot be read. */
function damagedFile(messages: number): string {
  const path = join(temporaryFolder(), 'lcm.db')
  const file = losslessClawWriters[1]?.open(path)
  if (!file) throw new Error('no writer')
  file.db.exec(`
    INSERT INTO conversations (conversation_id, session_id) VALUES (1, 'one'), (2, 'two');
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${messages})
    INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count)
    SELECT n, 1, n, 'user', hex(randomblob(200)), 7 FROM n;
    INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count) VALUES (5000, 2, 1, 'user', 'a', 9)`)
  const page = file.db.prepare(
    `SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' LIMIT 1 OFFSET 20`,
  )
  const { pageno } = page.get() as { pageno: number }
  file.db.pragma('journal_mode = DELETE')
  file.db.close()
  const handle = openSync(path, 'r+')
  writeSync(handle, Buffer.alloc(100, 0xff), 0, 100, (pageno - 1) * 4096)
  closeSync(handle)
  return path
}

it.each([400, 1200])(
  'lists the conversations of a file with a damaged page, and leaves only their unreadable figures open: %i messages',
  async (messages) => {
    const { read, info, close } = openMemory(damagedFile(messages), { cacheDir: join(temporaryFolder(), 'cache') })
    const reader = new MemoryReader(read)
    const stats = new MemoryStats(
      read,
      info,
      { budgetTokens: 1000, freshTailCount: 8 },
      createTokenEstimator(),
      reader,
      false,
    )
    await stats.measure()
    expect(stats.listed()).toMatchObject([
      { messages, storedTokens: null },
      { messages: 1, storedTokens: 9 },
    ])
    expect(reader.order(1).length).toBe(messages)
    expect(() => stats.conversations()).toThrowError(expect.objectContaining({ code: 'file_corrupt' }))
    close()
  },
)

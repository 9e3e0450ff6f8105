import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openNative } from '#core/sqlite/native.ts'
import { compactedMemory } from './compacted.ts'
import { canonical, fired, scan } from './doctor.ts'

/** Starts the work, and kills it some milliseconds after it has said that it is ready (or ended by then). */
async function killAfter(work: string, path: string, ms: number): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'children/work.ts'), work, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += String(data)
  })
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  await new Promise<void>((done) => {
    createInterface({ input: child.stdout }).on('line', (line) => line === 'ready' && done())
    void ended.then(() => done())
  })
  await Promise.race([ended, wait(ms)])
  child.kill('SIGKILL')
  await ended
  return errors.replace(/.*(ExperimentalWarning|trace-warnings).*\n?/g, '')
}

// "Crash at any instant (kill −9 during ingest, compaction, repair, import): the next open finds zero broken lineage and
// no lost message."
describe('a process that is killed', () => {
  it('leaves the file unchanged or repaired when it was repairing', async () => {
    for (const ms of [0, 25, 60, 110, 180, 300]) {
      const memory = await compactedMemory({ seed: 11 })
      memory.damage('UPDATE summaries SET depth = 6, earliest_at = 5')
      memory.damage('DELETE FROM context_items WHERE message_id = (SELECT min(message_id) FROM context_items)')
      const before = canonical(memory.db)
      const damaged = fired(await scan(memory.path))
      const path = memory.path
      memory.db.close()
      expect(await killAfter('repair', path, ms)).toBe('')
      const db = openNative(path)
      expect([[], damaged]).toContainEqual(fired(await scan(path)))
      expect(db.value('PRAGMA integrity_check')).toBe('ok')
      expect(canonical(db)).toBe(before)
      db.close()
    }
  })

  it('leaves a sound file with every message when it was dissolving and restoring', async () => {
    for (const ms of [40, 150, 333, 520]) {
      const memory = await compactedMemory({ seed: 12 })
      const before = canonical(memory.db)
      const path = memory.path
      memory.db.close()
      expect(await killAfter('surgery', path, ms)).toBe('')
      const db = openNative(path)
      expect(fired(await scan(path))).toEqual([])
      expect(canonical(db)).toBe(before)
      db.close()
    }
  })
})

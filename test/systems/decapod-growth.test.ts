import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openMemory } from '../builders/open-memory.ts'
import { decapodWriter } from '../builders/systems/decapod.ts'
import { tellStory } from '../builders/systems/story.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { everything } from './everything.ts'

test('a decapod memory that is followed while it grows equals one that is read afresh', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  const ledger = join(dirname(path), 'lcm.events.jsonl')
  const file = decapodWriter.open(path)
  const [first, second] = decapodWriter.tell(tellStory({ seed: 5, sessions: 2, turns: 6, leafMessages: 4 })).sessions
  if (!first || !second) throw new Error('no story')
  const line = (content: string, session = first.id): void =>
    appendFileSync(
      ledger,
      `${JSON.stringify({ actor: 'human', content, content_hash: `hash of ${content}`, event_id: `E${content}`, kind: 'message', metadata: { session_id: session }, ts: '1777900000Z' })}\n`,
    )
  const row = (content: string, session = first.id, bytes = content.length): void => {
    file.db
      .prepare('INSERT INTO originals_index VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(`hash of ${content}`, `E${content}`, '1777900000Z', 'human', 'message', BigInt(bytes), session)
  }
  for (const message of first.messages) file.message(first, message)
  const followed = openMemory(path, { cacheDir: join(folder, 'cache') })
  const steps: readonly (() => void)[] = [
    () => file.message(second, second.messages[0] ?? first.messages[0] ?? never()),
    () => {
      for (const message of second.messages.slice(1)) file.message(second, message)
    },
    () => {
      for (const summary of first.summaries) file.summary(first, summary)
    },
    // The ledger first, the index later, in the same words or in others.
    () => line('a'),
    () => row('a'),
    () => line('b'),
    () => row('b', second.id, 999),
    // The index first.
    () => row('c'),
    () => line('c'),
    () => line('a'),
    () => line('d', 'a session of its own'),
    () => appendFileSync(ledger, '{"half":'),
    () => appendFileSync(ledger, '1}\n'),
    () => file.db.exec(`UPDATE summaries SET original_hashes = json_array('hash of a', 'hash of z') WHERE rowid = 1`),
    () => line('z'),
    () => file.db.exec(`DELETE FROM originals_index WHERE content_hash = 'hash of a'`),
    () => file.db.exec(`UPDATE originals_index SET byte_size = byte_size + 4 WHERE rowid = 2`),
    () => line('e'),
  ]
  steps.forEach((step, index) => {
    step()
    using fresh = openMemory(path, { cacheDir: join(folder, 'cache') })
    expect(everything(followed.read), `after step ${index}`).toEqual(everything(fresh.read))
  })
  followed.close()
  file.db.close()
})

const never = (): never => {
  throw new Error('no message')
}

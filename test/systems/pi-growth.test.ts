import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMemory } from '../builders/open-memory.ts'
import { piLcmWriter } from '../builders/systems/pi-lcm.ts'
import { tellStory } from '../builders/systems/story.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { everything } from './everything.ts'

test('a pi-lcm memory that is followed while it grows equals one that is read afresh', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'lcm.db')
  const options = { cacheDir: join(folder, 'cache') }
  const file = piLcmWriter.open(path)
  const [first, second] = piLcmWriter.tell(tellStory({ seed: 6, sessions: 2, turns: 6, leafMessages: 4 })).sessions
  if (!first || !second) throw new Error('no story')
  file.begin(first)
  for (const message of first.messages) file.message(first, message)
  for (const summary of first.summaries) file.summary(first, summary)
  file.window(first)
  const followed = openMemory(path, options)
  const one = `(SELECT min(rowid) FROM summary_sources)`
  const steps: readonly (string | (() => void))[] = [
    () => file.begin(second),
    () => {
      for (const message of second.messages) file.message(second, message)
    },
    () => {
      for (const summary of second.summaries) file.summary(second, summary)
    },
    `UPDATE messages SET is_compacted = 1 - coalesce(is_compacted, 0) WHERE rowid = 2`,
    `UPDATE summaries SET depth = depth + 1, token_estimate = 7 WHERE rowid = 1`,
    `UPDATE summary_sources SET seq = seq + 100 WHERE rowid = ${one}`,
    `UPDATE summary_sources SET source_id = 'nobody' WHERE rowid = ${one}`,
    `DELETE FROM summary_sources WHERE rowid = ${one}`,
    // A message alone; one that stands before others; one that goes to another conversation.
    `UPDATE messages SET is_compacted = 1 WHERE rowid = (SELECT max(rowid) FROM messages)`,
    () => file.message(first, { ...(second.messages[0] ?? never()), content: 'later', number: 9001, seq: 9001 }),
    () => file.message(first, { ...(second.messages[0] ?? never()), content: 'before', number: 9002, seq: -1 }),
    `UPDATE messages SET conversation_id = (SELECT id FROM conversations WHERE rowid = 2), seq = 9003 WHERE rowid = 2`,
    // Conversations that go, alone or with what was said in them, and one that comes again.
    `PRAGMA foreign_keys = OFF; CREATE TABLE gone AS SELECT * FROM conversations; DELETE FROM conversations WHERE rowid = 1`,
    `INSERT INTO conversations SELECT * FROM gone WHERE rowid = 1`,
    `DELETE FROM conversations WHERE rowid = 2;
      DELETE FROM messages WHERE conversation_id = (SELECT id FROM gone WHERE rowid = 2)`,
    `DELETE FROM conversations`,
    `DELETE FROM messages WHERE rowid = 3`,
  ]
  steps.forEach((step, index) => {
    if (typeof step === 'string') file.db.exec(step)
    else step()
    using fresh = openMemory(path, options)
    expect(everything(followed.read), `after step ${index}`).toEqual(everything(fresh.read))
  })
  followed.close()
  file.db.close()
})

const never = (): never => {
  throw new Error('no message')
}

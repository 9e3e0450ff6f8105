import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { argentosWriter } from './argentos.ts'
import { pollutedStory } from './argentos-gateway.ts'
import { decapodWriter } from './decapod.ts'
import { hermesWriters } from './hermes.ts'
import { hermesDamage } from './hermes-damage.ts'
import { losslessClaudeWriter, losslessClawWriter } from './lossless.ts'
import { CLAW_DAMAGE, landmarksOf, RICHER } from './lossless-damage.ts'
import { CLAW_RELEASES } from './lossless-schema.ts'
import { piLcmWriter } from './pi-lcm.ts'
import { BASH_OUTPUT, SERVER_LOG, smallStory } from './small-story.ts'
import { renamed, type Story, type StorySpec, tellStory } from './story.ts'
import { type SystemWriter, writeStory } from './system.ts'

/**
 * Writes a file of every system in each of its version lines into a folder, sound and damaged. The folder is laid out like
 * the one with the files that the systems wrote themselves, so that a test may be asked of either.
 */
export function writeSystemFiles(root: string): void {
  writeLosslessClaw(join(root, 'lossless-claw'))
  writeLosslessClaude(join(root, 'lossless-claude/small.sqlite'))
  for (const [folder, writer] of [
    ['hermes-lcm', hermesWriters[0]],
    ['lcm-x', hermesWriters[1]],
  ] as const)
    if (writer) writeHermes(writer, join(root, folder))
  write(argentosWriter, join(root, 'argentos/small.db'), { ...SOUND, seed: 106 })
  writeGateway(join(root, 'argentos/gateway.db'))
  write(piLcmWriter, join(root, 'pi-lcm/small.db'), { ...SOUND, seed: 41 })
  write(decapodWriter, join(root, 'decapod/small/lcm.db'), { ...SOUND, seed: 90 })
}

/** Leaves are large enough to be smaller than what they stand for. */
const SOUND = { turns: 26, leastLeafMessages: 5, leafMessages: 8, fanIn: 3, tail: 12 } as const

function write(writer: SystemWriter, path: string, spec: StorySpec): void {
  writeTold(writer, path, writer.tell(tellStory(spec)))
}

function writeTold(writer: SystemWriter, path: string, story: Story): void {
  mkdirSync(dirname(path), { recursive: true })
  writeStory(writer, path, story)
}

/** Copies a file at rest and does something to the copy that its keys and checks would have refused. */
function damagedCopy(from: string, to: string, damage: (db: Database.Database) => void): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
  const db = new Database(to)
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  damage(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

function writeLosslessClaw(folder: string): void {
  for (const release of CLAW_RELEASES)
    writeTold(losslessClawWriter(release), join(folder, `legacy/v${release}.db`), { sessions: [] })
  const small = join(folder, 'small.db')
  const writer = losslessClawWriter('0.15.3')
  writeTold(writer, small, { sessions: writer.tell(smallStory()).sessions.map(withoutEntries) })
  damagedCopy(small, join(folder, 'rich.db'), (db) => db.exec(RICHER(landmarksOf(db))))
  for (const [name, { sql }] of Object.entries(CLAW_DAMAGE))
    damagedCopy(small, join(folder, `corrupt/${name}.db`), (db) => db.exec(sql(landmarksOf(db))))
  for (const files of [join(folder, 'lcm-files/1'), join(folder, 'corrupt/lcm-files/1')]) {
    mkdirSync(files, { recursive: true })
    for (const { id, name, text } of [SERVER_LOG, BASH_OUTPUT])
      writeFileSync(join(files, `${id}${name.slice(name.indexOf('.'))}`), text)
  }
}

/** It stores every compaction as a message of its own, behind what was said until then. */
function writeLosslessClaude(path: string): void {
  write(losslessClaudeWriter, path, { ...SOUND, seed: 45, sessions: 1 })
  const db = new Database(path)
  db.exec(COMPACTION_EVENTS)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

const COMPACTION_EVENTS = `
CREATE TEMP TABLE event AS SELECT s.*, row_number() OVER (ORDER BY s.rowid) AS n,
  (SELECT max(message_id) FROM messages) AS last, (SELECT max(seq) FROM messages) AS seq FROM summaries AS s;
INSERT INTO messages (message_id, conversation_id, seq, role, content, token_count, created_at)
SELECT last + n, conversation_id, seq + n, 'system', 'LCM compaction ' || kind || ' pass (normal)', 9, '2026-05-05 00:00:00' FROM event;
INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, metadata)
SELECT 'event-' || n, last + n, 'session-1', 'compaction', 0, json_object('conversationId', conversation_id,
  'pass', kind, 'level', 'normal', 'tokensBefore', 5000 - n, 'tokensAfter', 4000 - n, 'createdSummaryId', summary_id) FROM event;
INSERT INTO messages_fts (rowid, content) SELECT last + n, 'LCM compaction ' || kind || ' pass (normal)' FROM event;
UPDATE large_files SET storage_uri = '/home/someone/lcm-files/1/' || file_id || '.log';`

/** An agent that does not name its entries leaves them out. */
const withoutEntries = (session: Story['sessions'][number]): Story['sessions'][number] => ({
  ...session,
  messages: session.messages.map((message) => ({ ...message, entry: null })),
})

function writeHermes(writer: SystemWriter, folder: string): void {
  const story = renamed(writer.tell(tellStory({ ...SOUND, seed: 45, sessions: 1 })), (_, index) => String(index + 1))
  const small = join(folder, 'small.db')
  writeTold(writer, small, story)
  const payloads = join(folder, 'home/lcm-large-outputs')
  mkdirSync(payloads, { recursive: true })
  writeFileSync(join(payloads, 'kept.json'), JSON.stringify({ kind: 'tool_result', content: 'what a tool said' }))
  if (folder.endsWith('lcm-x')) return
  const { summaries = [], messages = [] } = story.sessions[0] ?? {}
  const [leaf, next] = summaries.filter(({ depth }) => depth === 0)
  const { sql, faults } = hermesDamage({
    leaf: Number(leaf?.id),
    covered: leaf?.messages ?? [],
    covers: next?.messages ?? [],
    last: messages.at(-1)?.number ?? 0,
    nodes: summaries.length,
  })
  const damaged = join(folder, 'damaged.db')
  damagedCopy(small, damaged, (db) => db.exec(sql))
  writeFileSync(damaged.replace('.db', '.truth.json'), JSON.stringify({ faults }))
}

function writeGateway(path: string): void {
  const { story, truth } = pollutedStory()
  writeTold(argentosWriter, path, argentosWriter.tell(story))
  writeFileSync(path.replace('.db', '.truth.json'), JSON.stringify(truth))
}

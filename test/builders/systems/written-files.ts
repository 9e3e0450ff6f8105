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
import { insertRow, type SystemWriter, writeStory } from './system.ts'

/**
 * Writes files of every system in each of its versions into a folder, sound and damaged. The folder has the layout of
 * the folder with real files, so that a test can run on either.
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

/** Leaves are large enough to be smaller than their sources. */
const SOUND = { turns: 26, leastLeafMessages: 5, leafMessages: 8, fanIn: 3, tail: 12 } as const

function write(writer: SystemWriter, path: string, spec: StorySpec): void {
  writeTold(writer, path, writer.tell(tellStory(spec)))
}

function writeTold(writer: SystemWriter, path: string, story: Story): void {
  mkdirSync(dirname(path), { recursive: true })
  writeStory(writer, path, story)
}

/** Copies a file and changes the copy without its keys and checks. */
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

/** This system stores every compaction as a message at the end. */
function writeLosslessClaude(path: string): void {
  write(losslessClaudeWriter, path, { ...SOUND, seed: 45, sessions: 1 })
  const db = new Database(path)
  db.exec(`UPDATE large_files SET storage_uri = '/home/someone/lcm-files/1/' || file_id || '.log'`)
  recordCompactions(db)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}

type Made = { id: string; kind: string; tokens: number; taken: number }

function recordCompactions(db: Database.Database): void {
  const made = db.prepare<[], Made>(MADE).all()
  const { message, seq, active } = db
    .prepare<[], { message: number; seq: number; active: number }>(
      'SELECT max(message_id) AS message, max(seq) AS seq, sum(token_count) AS active FROM messages',
    )
    .get() ?? { message: 0, seq: 0, active: 0 }
  let tokensBefore = active
  made.forEach(({ id, kind: pass, tokens, taken }, index) => {
    const tokensAfter = tokensBefore - taken + tokens
    const row = { message_id: BigInt(message + index + 1), conversation_id: 1n, seq: BigInt(seq + index + 1) }
    const content = `LCM compaction ${pass} pass (normal): ${tokensBefore} -> ${tokensAfter}`
    insertRow(db, 'messages', { ...row, role: 'system', content, token_count: 9n, created_at: '2026-05-05 00:00:00' })
    insertRow(db, 'messages_fts', { rowid: row.message_id, content })
    insertRow(db, 'message_parts', {
      part_id: `event-${index + 1}`,
      message_id: row.message_id,
      session_id: 'session-1',
      part_type: 'compaction',
      ordinal: 0n,
      metadata: JSON.stringify({
        conversationId: 1,
        pass,
        level: 'normal',
        tokensBefore,
        tokensAfter,
        createdSummaryId: id,
      }),
    })
    tokensBefore = tokensAfter
  })
}

/** Each summary, in order of creation, and the tokens by which it reduced the window. */
const MADE = `
SELECT s.summary_id AS id, s.kind, s.token_count AS tokens,
  coalesce((SELECT sum(m.token_count) FROM summary_messages AS l JOIN messages AS m USING (message_id) WHERE l.summary_id = s.summary_id), 0)
  + coalesce((SELECT sum(o.token_count) FROM summary_parents AS l JOIN summaries AS o ON o.summary_id = l.parent_summary_id
    WHERE l.summary_id = s.summary_id), 0) AS taken
FROM summaries AS s ORDER BY s.rowid`

/** An agent that gives its entries no ids leaves them out. */
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

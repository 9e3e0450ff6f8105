import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from './temporary-folder.ts'

/** The time of the first message of a session, in milliseconds. */
export const START = Date.UTC(2026, 2, 2, 9)

type OpenCodeSession = { readonly id: string; readonly said: readonly string[]; readonly revert?: string }

/** Writes the database of opencode: sessions in which a person and the agent take turns. */
export function openCodeDb(sessions: readonly OpenCodeSession[], folder = temporaryFolder()): string {
  const path = join(folder, 'opencode.db')
  const db = new DatabaseSync(path)
  db.exec(`
    CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT,
      directory TEXT NOT NULL, title TEXT NOT NULL, revert TEXT, time_created INTEGER NOT NULL,
      time_updated INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
      data TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
      data TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS session_of ON session (project_id);
    CREATE INDEX IF NOT EXISTS part_of ON part (message_id, id);
    CREATE INDEX IF NOT EXISTS message_of ON message (session_id, time_created, id);
    BEGIN`)
  for (const { id, said, revert } of sessions) {
    const back = revert === undefined ? null : JSON.stringify({ messageID: revert })
    db.prepare('INSERT OR IGNORE INTO session VALUES (?, ?, NULL, ?, ?, ?, ?, ?)').run(
      id,
      'prj',
      '/home/me/shop',
      `About ${id}`,
      back,
      START,
      START + said.length,
    )
    said.forEach((text, at) => {
      const message = `msg_${id}_${at}`
      const data = { role: at % 2 === 0 ? 'user' : 'assistant', time: { created: START + at } }
      db.prepare('INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?)').run(message, id, START + at, JSON.stringify(data))
      const part = JSON.stringify({ type: 'text', text })
      db.prepare('INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)').run(`prt_${id}_${at}`, message, id, part)
    })
  }
  db.exec('COMMIT')
  db.close()
  return path
}

import Database from 'better-sqlite3'
import type { Session, Story, StoryFile, StoryMessage, StorySummary } from './story.ts'

/** Writes a story as one system does, message by message, in a file that stays open as its agent keeps it. */
export type SystemFile = {
  readonly path: string
  readonly db: Database.Database
  begin(session: Session): void
  message(session: Session, message: StoryMessage): void
  summary(session: Session, summary: StorySummary): void
  /** Called when a session's window has changed to `window`. */
  window(session: Session): void
  file(session: Session, file: StoryFile): void
}

export type SystemWriter = {
  readonly name: string
  /** Opens a file, and makes its tables if there are none. */
  open(path: string): SystemFile
  /** Returns the story as this system can store it, without what it `lacks`. */
  tell(story: Story): Story
  /** What the system cannot store, or stores in its own way, a line each. */
  readonly lacks: readonly string[]
  /** Fields of answers that differ for that reason. */
  readonly unsaid?: Readonly<Record<string, string>>
  /** Checks that have no reason to fire for this system, or not as a fault. */
  readonly unfired?: Readonly<Record<string, string>>
}

/** Opens a connection with the settings that such agents use. */
export function openWriter(path: string, schema: string): Database.Database {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('busy_timeout = 0')
  if (db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) db.exec(schema)
  return db
}

/** Inserts one row with these columns. */
export function insertRow(db: Database.Database, table: string, row: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(row)
  const verb = 'INSERT INTO'
  db.prepare(`${verb} ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(row)
}

/** Replaces the rows of a session's window, where the table is that of lossless-claw. */
export function insertWindow(db: Database.Database, { number, window }: Session, createdAt: unknown): void {
  db.prepare('DELETE FROM context_items WHERE conversation_id = ?').run(BigInt(number))
  window.forEach((item, ordinal) => {
    insertRow(db, 'context_items', {
      conversation_id: BigInt(number),
      ordinal: BigInt(ordinal),
      item_type: typeof item === 'number' ? 'message' : 'summary',
      message_id: typeof item === 'number' ? BigInt(item) : null,
      summary_id: typeof item === 'number' ? null : item,
      created_at: createdAt,
    })
  })
}

/** The columns of a large file that native files and lossless-claw have in common. */
export const largeFileColumns = ({ number }: Session, file: StoryFile): Readonly<Record<string, unknown>> => ({
  file_id: file.id,
  conversation_id: BigInt(number),
  file_name: file.name,
  mime_type: file.mime,
  byte_size: file.bytes === null ? null : BigInt(file.bytes),
  storage_uri: file.uri,
  exploration_summary: file.about,
})

/** Writes to a file in one transaction and closes it. */
export function writeTo(
  writer: SystemWriter,
  path: string,
  body: (file: ReturnType<SystemWriter['open']>) => void,
): void {
  const file = writer.open(path)
  file.db.transaction(() => body(file))()
  file.db.pragma('wal_checkpoint(TRUNCATE)')
  file.db.close()
}

/** Writes the whole story and closes the file. */
export function writeStory(writer: SystemWriter, path: string, story: Story): void {
  writeTo(writer, path, (file) => {
    for (const session of story.sessions) {
      file.begin(session)
      for (const message of session.messages) file.message(session, message)
      for (const summary of session.summaries) file.summary(session, summary)
      for (const one of session.files) file.file(session, one)
      file.window(session)
    }
  })
}

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export const sqlTime = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
export const isoTime = (atMs: number): string => new Date(atMs).toISOString()

import { sha256 } from '../../hashing.ts'
import { Draft } from '../../memory/draft.ts'
import type { MemoryRows } from '../../memory/memory.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { readingRows } from '../../systems/read-memory.ts'

const queries = {
  text: /* sql */ `SELECT content FROM summaries WHERE summary_id = :id`,
  hashes: /* sql */ `
    SELECT e.key AS place, m.content_hash AS hash
    FROM json_each(:ids) AS e JOIN messages AS m ON m.message_id = e.value
    ORDER BY e.key`,
}

/** A draft of a file's derived rows, with the texts and hashes of the file. */
export class FileDraft extends Draft {
  readonly db: ReadDb

  private constructor(db: ReadDb, rows: MemoryRows) {
    super(rows)
    this.db = db
  }

  /** Reads the whole file, a piece of some milliseconds at a time. */
  static *read(db: ReadDb): Generator<void, FileDraft> {
    return new FileDraft(db, yield* readingRows(db, true))
  }

  textOf(id: string): string {
    return this.summaries.get(id)?.content ?? this.db.value<string>(queries.text, { id }) ?? ''
  }

  /** SHA-256 of the hashes of the sources, joined by commas, a bar, and the text. */
  hashFor(
    text: string,
    sources: { readonly messages: readonly number[]; readonly summaries: readonly string[] },
  ): string {
    const own = this.db.all<{ hash: string | null }>(queries.hashes, { ids: JSON.stringify(sources.messages) })
    const hashes = [
      ...own.map((row) => row.hash ?? ''),
      ...sources.summaries.flatMap((id) => this.summaries.get(id)?.hash ?? []),
    ]
    return sha256(`${hashes.join(',')}|${text}`)
  }

  /** What the stored hash of a summary should be. */
  expectedHash(id: string): string {
    const messages = this.messageLinks(id).map((link) => link.to)
    return this.hashFor(this.textOf(id), { messages, summaries: this.sourceLinks(id).map((link) => link.to) })
  }
}

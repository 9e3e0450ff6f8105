import { Draft } from '#core/memory/draft.ts'
import type { MemoryRows } from '#core/memory/memory.ts'
import { summaryHash } from '#core/memory/summary-hash.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readingMemory } from '../reading/read-memory.ts'
import { contentOfSummary } from '../reading/texts.ts'
import { contentHashes } from '../records/messages.ts'

/** A draft of a file's derived rows, with the texts and hashes of the file. */
export class FileDraft extends Draft {
  readonly db: ReadDb

  private constructor(db: ReadDb, rows: MemoryRows) {
    super(rows)
    this.db = db
  }

  /** @param rows of the whole file, read a piece of some milliseconds at a time */
  static *read(db: ReadDb, rows: Generator<void, MemoryRows> = readingMemory(db)): Generator<void, FileDraft> {
    return new FileDraft(db, yield* rows)
  }

  textOf(id: string): string {
    const written = this.summaries.get(id)?.content
    if (written !== undefined) return written
    return contentOfSummary(this.db, id) ?? ''
  }

  /** The hash of a summary with this text and these sources, of those that exist. */
  hashFor(
    text: string,
    sources: { readonly messages: readonly number[]; readonly summaries: readonly string[] },
  ): string {
    const stored = contentHashes(this.db, sources.messages)
    const ofMessages = sources.messages.flatMap((id) => (stored.has(id) ? [stored.get(id) ?? ''] : []))
    const ofSummaries = sources.summaries.flatMap((id) => this.summaries.get(id)?.hash ?? [])
    return summaryHash([...ofMessages, ...ofSummaries], text)
  }

  /** What the stored hash of a summary should be. */
  expectedHash(id: string): string {
    const messages = this.messageLinks(id).map((link) => link.to)
    return this.hashFor(this.textOf(id), { messages, summaries: this.sourceLinks(id).map((link) => link.to) })
  }
}

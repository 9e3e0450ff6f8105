import type { LargeTexts } from '../large-texts.ts'
import type { NewMessage, NewPart } from '../new-message.ts'
import { storedLinks } from './answer-links.ts'
import type { BlockPart } from './content-blocks.ts'
import type { AnswerRecord, TranscriptRecord } from './format.ts'
import type { StoredSession, StoredSessions } from './stored-sessions.ts'

type Options = {
  readonly largeTexts: LargeTexts
  readonly format: string
  readonly sessions: StoredSessions
  /** Returns null for a session without stored messages. */
  readonly expect: (sessionId: string) => StoredSession | null
  /** Is told a message before its texts are moved: a title is made of the text itself, and not of a reference. */
  readonly noteBeginning: (sessionId: string, message: NewMessage) => void
}

export const partsOf = ({ blocks }: AnswerRecord): NewPart[] => blocks.map(({ part }) => part)

/** Moves large texts of records into files of their own, before the records are stored. */
export class LargeRecordTexts {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Says without reading the texts whether one of the record may be large. */
  mayBeIn(record: TranscriptRecord): boolean {
    const { largeTexts } = this.#options
    if (record.kind === 'message') {
      const { role, content, parts } = record.message
      return largeTexts.mayConcern(role, content, parts)
    }
    return record.kind === 'answer' && largeTexts.mayConcern('assistant', '', partsOf(record))
  }

  /** Returns a record with references in the place of its large texts. */
  async *moving(record: TranscriptRecord): AsyncGenerator<void, TranscriptRecord> {
    if (record.kind !== 'message' && record.kind !== 'answer') return record
    const { largeTexts, sessions, expect, noteBeginning } = this.#options
    const { sessionId, copiedFrom } = record
    const externalId = record.kind === 'message' ? record.message.externalId : record.externalId
    if (externalId !== null && copiedFrom?.some((id) => sessions.holds(id, externalId))) return record
    const session = expect(sessionId)
    const formerId = record.kind === 'message' ? record.message.formerId : null
    const links =
      session === null || session.isNew
        ? []
        : [externalId, formerId].flatMap((id) =>
            id == null ? [] : storedLinks(id, (link) => sessions.message(session.id, link)),
          )
    const asked = { conversationKey: this.#keyOf(sessionId), stored: links.length > 0 ? links : null }
    if (record.kind === 'message') {
      noteBeginning(sessionId, record.message)
      return { ...record, message: yield* largeTexts.rewrite(record.message, asked) }
    }
    const { createdAtMs } = record
    const parts = partsOf(record)
    const moved = yield* largeTexts.rewrite({ externalId, role: 'assistant', content: '', createdAtMs, parts }, asked)
    const blocks = record.blocks.map((block, at) => blockWith(block, moved.parts[at] ?? block.part))
    return { ...record, blocks, ...(moved.files ? { files: moved.files } : {}) }
  }

  /** Results that come later are named by the files that these calls ask to read. */
  noteCalls(sessionId: string, parts: readonly NewPart[]): void {
    this.#options.largeTexts.noteCalls(this.#keyOf(sessionId), parts)
  }

  readonly #keyOf = (sessionId: string): string => `${this.#options.format}\n${sessionId}`
}

/** Returns a block whose part was rewritten. Its text in the content of the message follows the text of the part. */
function blockWith({ part, text }: BlockPart, moved: NewPart): BlockPart {
  const field = (['text', 'toolOutput', 'toolError'] as const).find((name) => text !== null && part[name] === text)
  return { part: moved, text: field === undefined ? text : (moved[field] ?? null) }
}

import { eventTimeMs } from '../clock.ts'
import { sha256 } from '../hashing.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { ledgerWriter } from '../systems/systems.ts'
import type { LedgerEvent } from './ledger-line.ts'

const queries = {
  conversation: /* sql */ `
    INSERT INTO conversations (session_id, importer, created_at, updated_at) VALUES (:sessionId, :importer, :at, :at)
    RETURNING conversation_id`,
  message: /* sql */ `
    INSERT INTO messages (conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    VALUES (:conversation, :seq, :role, :tokens, :at, :externalId, :hash, :content)
    RETURNING message_id`,
  part: /* sql */ `
    INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, is_content, metadata)
    VALUES (:partId, :message, :sessionId, 'text', 0, 1, :metadata)`,
  item: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    VALUES (:conversation, :seq, 'message', :message, :at)`,
  touch: /* sql */ `
    UPDATE conversations SET updated_at = max(updated_at, CAST(:at AS INTEGER)) WHERE conversation_id = :conversation`,
}

type Session = { readonly conversation: number; next: number }

/** Converts events of another system into messages of its sessions, in the order of the ledger. */
export class ForeignEvents {
  readonly #db: WriteDb
  readonly #estimator: TokenEstimator
  readonly #sessions = new Map<string, Session>()

  constructor(db: WriteDb, estimator: TokenEstimator) {
    this.#db = db
    this.#estimator = estimator
  }

  add(event: LedgerEvent): void {
    const hash = sha256(event.content)
    if (hash !== event.content_hash) return
    const given = event.metadata.session_id
    const sessionId = typeof given === 'string' ? given : ''
    const at = Math.trunc(eventTimeMs(event.ts)) || 0
    const session = this.#session(sessionId, at)
    const seq = session.next
    session.next += 1
    const { conversation } = session
    const message = this.#db.value<number>(queries.message, {
      conversation,
      seq,
      role: ledgerWriter.ledger.roleOf(event),
      tokens: this.#estimator.count(event.content),
      at,
      externalId: event.event_id,
      hash,
      content: event.content,
    })
    this.#db.run(queries.part, {
      partId: `part_${event.event_id}`,
      message: message ?? null,
      sessionId,
      metadata: JSON.stringify({ actor: event.actor, kind: event.kind, ...event.metadata }),
    })
    this.#db.run(queries.item, { conversation, seq, message: message ?? null, at })
    this.#db.run(queries.touch, { conversation, at })
  }

  #session(sessionId: string, at: number): Session {
    const known = this.#sessions.get(sessionId)
    if (known) return known
    const session = {
      conversation: this.#db.value<number>(queries.conversation, { sessionId, importer: ledgerWriter.id, at }) ?? 0,
      next: 0,
    }
    this.#sessions.set(sessionId, session)
    return session
  }
}

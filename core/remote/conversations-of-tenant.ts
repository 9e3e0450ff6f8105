import type { HostedConversations, NewConversation, Session } from '../database.ts'
import { LcmError } from '../errors.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { runToEnd } from '../yielding.ts'
import type { Objects } from './objects/configured.ts'
import type { Postgres } from './postgres/connect.ts'
import { claimConversation, conversationOfSession, readHead } from './postgres/conversation-rows.ts'
import { requireVersion } from './postgres/migrate.ts'
import { pullConversation } from './pull.ts'
import { pushChanges } from './push.ts'

type ConversationsOptions = {
  readonly connect: () => Promise<Postgres>
  /** The address without a password. */
  readonly shown: string
  readonly tenant: string
  /** Where large files lie; null where their texts stay in their messages. */
  readonly objects: Objects | null
}

const MOST_IDLE = 4

/** The conversations of a tenant, over as many connections as there are calls at the same time. */
export class ConversationsOfTenant implements HostedConversations {
  readonly #options: ConversationsOptions
  readonly #idle: Postgres[] = []
  #isClosed = false

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  get tenant(): string {
    return this.#options.tenant
  }

  get shown(): string {
    return this.#options.shown
  }

  get keepsLargeFiles(): boolean {
    return this.#options.objects !== null
  }

  open(): Promise<void> {
    return this.#withDb(requireVersion)
  }

  find(session: Session): Promise<number | null> {
    const { tenant } = this
    return this.#withDb((db) => db.read(tenant, (query) => conversationOfSession(query, tenant, rowOf(session))))
  }

  async claim(session: Session, { title, tokenEstimator, atMs }: NewConversation) {
    const { tenant } = this
    const row = {
      ...rowOf(session),
      ...{ logical_key: null, source_uri: null, title, archived_at: null, created_at: atMs, updated_at: atMs },
    }
    const made = await this.#withDb((db) =>
      db.write(tenant, (query) => claimConversation(query, tenant, { row, parentId: null, tokenEstimator })),
    )
    return made.conversationId
  }

  async revision(conversationId: number) {
    const { tenant } = this
    const head = await this.#withDb((db) => db.read(tenant, (query) => readHead(query, { tenant, conversationId })))
    return head?.revision ?? null
  }

  async pull(conversationId: number, to: string, signal: AbortSignal): Promise<void> {
    const { objects, tenant } = this.#options
    const key = { tenant, conversationId }
    await this.#withDb((from) => runToEnd(pullConversation({ from, key, to, objects }, signal)))
  }

  /** Writes in one transaction what the file holds more. */
  async push(db: WriteDb): Promise<void> {
    await this.#withDb((to) => pushChanges(to, db, { objects: this.#options.objects }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const db of this.#idle.splice(0)) await db.close()
  }

  /** Runs the body on a connection of its own. One that failed is not used again. */
  async #withDb<T>(body: (db: Postgres) => Promise<T>): Promise<T> {
    const db = this.#idle.pop() ?? (await this.#options.connect())
    try {
      const result = await body(db)
      this.#release(db)
      return result
    } catch (error) {
      const isSound = error instanceof LcmError && (error.code === 'conflict' || error.code === 'not_found')
      if (isSound) this.#release(db)
      else await db.close()
      throw error
    }
  }

  #release(db: Postgres): void {
    if (this.#idle.length < MOST_IDLE && !this.#isClosed) this.#idle.push(db)
    else void db.close()
  }
}

const rowOf = ({ agent, sessionId }: Session) => ({ importer: agent, session_id: sessionId })

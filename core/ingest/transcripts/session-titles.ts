import type { NewMessage } from '../new-message.ts'
import { oneLine } from './one-line.ts'

type Beginning = { readonly text: string; readonly isAsked: boolean }

/** Finds the titles of sessions. One without a title is named by how it begins. */
export class SessionTitles {
  readonly #titles = new Map<string, string>()
  /** Sessions that were declared with a title. */
  readonly #named = new Set<string>()
  readonly #beginnings = new Map<string, Beginning>()

  set(sessionId: string, title: string): void {
    this.#titles.set(sessionId, title)
  }

  /** Notes that a session was stored with a title. A later title replaces it, and its beginning does not. */
  declare(sessionId: string): void {
    this.#named.add(sessionId)
  }

  /** Remembers what a person asked first, or until then what was said first. */
  noteBeginning(sessionId: string, { role, content, parts }: NewMessage): void {
    const known = this.#beginnings.get(sessionId)
    const isAsked = role === 'user' && !/"(?:harness|meta|demonstration)":true/.test(parts[0]?.metadata ?? '')
    if (known && (known.isAsked || !isAsked)) return
    const text = oneLine(content)
    if (text !== '') this.#beginnings.set(sessionId, { text, isAsked })
  }

  /** The titles that are to be stored, by the session. */
  found(): ReadonlyMap<string, string> {
    const beginnings = [...this.#beginnings].filter(([sessionId]) => !this.#named.has(sessionId))
    return new Map([...beginnings.map(([sessionId, { text }]) => [sessionId, text] as const), ...this.#titles])
  }
}

import { type JsonObject, objectAt, textAt } from '#core/ingest/transcripts/json-value.ts'

type Fork = { readonly parentId: string; readonly line: number }

const NAMED = /\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g

/**
 * Finds the sessions from which the session of a file was forked. A fork begins with copies of the events of its parent, under
 * their ids. A notice for the person behind them names both sessions. A fork of a fork has the notices of both.
 */
export class CopilotForks {
  readonly #forks: Fork[] = []
  #startedAt = ''
  #hasEarlier = false

  take(event: JsonObject, line: number): void {
    const data = objectAt(event, 'data')
    const at = textAt(event, 'timestamp') ?? ''
    if (event.type === 'session.start') this.#startedAt ||= at
    else if (at < this.#startedAt) this.#hasEarlier = true
    if (event.type !== 'session.info' || textAt(data, 'infoType') !== 'fork') return
    const [parentId, forkId] = [...(textAt(data, 'message') ?? '').matchAll(NAMED)].map(([, id]) => id).slice(-2)
    if (parentId !== undefined && forkId !== undefined) this.#forks.push({ parentId, line })
  }

  get parentId(): string | null {
    return this.#forks.at(-1)?.parentId ?? null
  }

  /** True for a file with events from before its session, and without a notice: somebody went back to before it. */
  get isUnnamed(): boolean {
    return this.#hasEarlier && this.#forks.length === 0
  }

  /** Returns the session in which an event was written, or null for that of the file. */
  originOf(line: number): string | null {
    return this.#forks.find((fork) => line < fork.line)?.parentId ?? null
  }
}

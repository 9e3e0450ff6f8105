import { summaryHash } from '#core/memory/summary-hash.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  messages: /* sql */ `
    SELECT m.message_id AS id, m.token_count AS tokens, m.created_at AS at, m.content_hash AS hash
    FROM json_each(:ids) AS j JOIN messages AS m ON m.message_id = j.value`,
}

/** A summary without its text. */
export type Skeleton = {
  readonly id: string
  readonly isLeaf: boolean
  /** As Volt counts: 1 above messages. Null where it does not say. */
  readonly order: number | null
  readonly isStub: boolean
  readonly createdAtMs: number
}

export type SummaryLink = { readonly summary: string; readonly source: string | number; readonly ordinal: number }

/** What a native file stores of a summary and Volt does not. */
type Derived = {
  readonly depth: number
  readonly sourceTokens: number
  readonly descendants: number
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
}

type Own = { readonly tokens: number; readonly earliest: number | null; readonly latest: number | null }

/** Works out of the links what Volt does not store. Summaries come sources first; those on a cycle come last. */
export class Lineage {
  readonly #local: ReadDb
  readonly #links: ReadonlyMap<string, readonly SummaryLink[]>
  readonly #own = new Map<string, Own>()
  readonly #derived = new Map<string, Derived>()
  readonly #hashes = new Map<string, string>()
  /** Sources before their dependents. */
  readonly ordered: readonly Skeleton[]

  constructor(local: ReadDb, summaries: readonly Skeleton[], links: readonly SummaryLink[]) {
    this.#local = local
    this.#links = Map.groupBy(links, ({ summary }) => summary)
    this.ordered = this.#sourcesFirst(summaries)
    for (const summary of this.ordered) this.#own.set(summary.id, this.#ownOf(summary.id))
    for (const summary of this.ordered) this.#derived.set(summary.id, this.#derive(summary))
  }

  derived(id: string): Derived {
    const found = this.#derived.get(id)
    if (found === undefined) throw new Error('a summary of another conversation')
    return found
  }

  /** Proves with which sources and which text it was made. Sources have to be asked for first. */
  hash(id: string, content: string): string {
    const links = this.#links.get(id) ?? []
    const messages = new Map(this.#messages(links).map((message) => [message.id, message.hash]))
    const sources = links.flatMap(
      ({ source }) => (typeof source === 'number' ? messages.get(source) : this.#hashes.get(source)) ?? [],
    )
    const hash = summaryHash(sources, content)
    this.#hashes.set(id, hash)
    return hash
  }

  #sources(id: string): string[] {
    return (this.#links.get(id) ?? []).flatMap(({ source }) => (typeof source === 'string' ? [source] : []))
  }

  #sourcesFirst(summaries: readonly Skeleton[]): Skeleton[] {
    const known = new Set(summaries.map(({ id }) => id))
    const waiting = new Map(
      summaries.map(({ id }) => [id, new Set(this.#sources(id).filter((source) => known.has(source))).size]),
    )
    const dependents = new Map<string, string[]>()
    for (const id of known) {
      for (const source of new Set(this.#sources(id))) {
        const list = dependents.get(source)
        if (list === undefined) dependents.set(source, [id])
        else list.push(id)
      }
    }
    const ready = summaries.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id)
    for (let next = 0; next < ready.length; next += 1) {
      for (const id of dependents.get(ready[next] ?? '') ?? []) {
        const left = (waiting.get(id) ?? 0) - 1
        waiting.set(id, left)
        if (left === 0) ready.push(id)
      }
    }
    const byId = new Map(summaries.map((summary) => [summary.id, summary]))
    const placed = new Set(ready)
    return [...ready.flatMap((id) => byId.get(id) ?? []), ...summaries.filter(({ id }) => !placed.has(id))]
  }

  #messages(links: readonly SummaryLink[]) {
    const ids = links.flatMap(({ source }) => (typeof source === 'number' ? [source] : []))
    if (ids.length === 0) return []
    type Message = { id: number; tokens: number; at: number; hash: string }
    return this.#local.all<Message>(queries.messages, { ids: JSON.stringify(ids) })
  }

  #ownOf(id: string): Own {
    let [tokens, earliest, latest]: [number, number | null, number | null] = [0, null, null]
    for (const message of this.#messages(this.#links.get(id) ?? [])) {
      tokens += message.tokens
      earliest = least(earliest, message.at)
      latest = greatest(latest, message.at)
    }
    return { tokens, earliest, latest }
  }

  #derive({ id, isLeaf, order, isStub }: Skeleton): Derived {
    const sources = this.#sources(id).map((source) => this.#derived.get(source))
    const above = 1 + sources.reduce((depth, source) => Math.max(depth, source?.depth ?? -1), -1)
    // A stub stands one above what it points to, whichever order it has.
    const stored = order === null || isStub ? null : order - 1
    let [sourceTokens, earliestAtMs, latestAtMs]: [number, number | null, number | null] = [0, null, null]
    for (const one of this.#beneath(id)) {
      const own = this.#own.get(one)
      sourceTokens += own?.tokens ?? 0
      earliestAtMs = least(earliestAtMs, own?.earliest ?? null)
      latestAtMs = greatest(latestAtMs, own?.latest ?? null)
    }
    return {
      depth: isLeaf ? 0 : Math.max(1, stored ?? above),
      sourceTokens,
      descendants: sources.reduce((sum, source) => sum + (source?.descendants ?? 0) + 1, 0),
      earliestAtMs,
      latestAtMs,
    }
  }

  /** The summary itself and all that it was made from, each once. */
  #beneath(id: string): ReadonlySet<string> {
    const reached = new Set([id])
    for (const one of reached) for (const source of this.#sources(one)) reached.add(source)
    return reached
  }
}

const least = (a: number | null, b: number | null): number | null => (a === null || (b !== null && b < a) ? b : a)
const greatest = (a: number | null, b: number | null): number | null => (a === null || (b !== null && b > a) ? b : a)

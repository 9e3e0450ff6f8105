import type { ReadDb } from '../../sqlite/read-db.ts'

const queries = {
  times: /* sql */ `
    SELECT created_at FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND created_at IS NOT NULL`,
  /** Names and numbers of calls stand beside the texts. */
  calls: /* sql */ `
    SELECT DISTINCT tool_name, tool_call_id
    FROM message_parts
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND (tool_name IS NOT NULL OR tool_call_id IS NOT NULL)`,
}

/**
 * What is known of the sources beside their texts: days and minutes (UTC) at which they were written, and the names and
 * numbers of tool calls. Summaries tell both. Read when it is asked for.
 */
export class BesideTexts {
  readonly #db: ReadDb
  readonly #numbers: readonly number[]
  #times: { readonly days: ReadonlySet<string>; readonly minutes: ReadonlySet<string> } | null = null
  #calls: ReadonlySet<string> | null = null

  constructor(db: ReadDb, numbers: readonly number[]) {
    this.#db = db
    this.#numbers = numbers
  }

  /** True for a day or minute at which a source was written, and for the name or number of a call. */
  readonly has = (kind: string, text: string): boolean => {
    if (kind !== 'date' && kind !== 'time') {
      this.#calls ??= this.#readCalls()
      return this.#calls.has(text.toLowerCase())
    }
    this.#times ??= this.#readTimes()
    const { days, minutes } = this.#times
    if (kind === 'time') return minutes.has(text.slice(0, 5).padStart(5, '0'))
    return days.has(text.slice(0, 10)) && (text.length <= 10 || minutes.has(text.slice(11, 16)))
  }

  #readCalls(): Set<string> {
    const calls = new Set<string>()
    for (const ids of this.#batches()) {
      const rows = this.#db.iterateRaw<[string | null, string | null]>(queries.calls, { ids })
      for (const row of rows) for (const text of row) if (text) calls.add(text.toLowerCase())
    }
    return calls
  }

  *#batches(): Generator<string> {
    for (let start = 0; start < this.#numbers.length; start += 10_000) {
      yield JSON.stringify(this.#numbers.slice(start, start + 10_000))
    }
  }

  #readTimes(): { days: Set<string>; minutes: Set<string> } {
    const [days, minutes] = [new Set<string>(), new Set<string>()]
    for (const ids of this.#batches()) {
      for (const atMs of this.#db.column<number>(queries.times, { ids })) {
        if (!(Math.abs(atMs) <= 8.64e15)) continue
        const iso = new Date(atMs).toISOString()
        days.add(iso.slice(0, 10))
        minutes.add(iso.slice(11, 16))
      }
    }
    return { days, minutes }
  }
}

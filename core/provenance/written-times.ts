import type { ReadDb } from '../db/read-db.ts'

const queries = {
  times: /* sql */ `
    SELECT created_at FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND created_at IS NOT NULL`,
}

/** Days and minutes (UTC) at which the sources were written: summaries give the time of what they tell. Read when asked. */
export class WrittenTimes {
  readonly #db: ReadDb
  readonly #numbers: readonly number[]
  #known: { readonly days: ReadonlySet<string>; readonly minutes: ReadonlySet<string> } | null = null

  constructor(db: ReadDb, numbers: readonly number[]) {
    this.#db = db
    this.#numbers = numbers
  }

  /** True for `2026-03-02`, or `09:14`, when a source was written then. */
  readonly has = (kind: 'date' | 'time', text: string): boolean => {
    this.#known ??= this.#read()
    const { days, minutes } = this.#known
    if (kind === 'time') return minutes.has(text.slice(0, 5).padStart(5, '0'))
    return days.has(text.slice(0, 10)) && (text.length <= 10 || minutes.has(text.slice(11, 16)))
  }

  #read(): { days: Set<string>; minutes: Set<string> } {
    const [days, minutes] = [new Set<string>(), new Set<string>()]
    for (let start = 0; start < this.#numbers.length; start += 10_000) {
      const ids = JSON.stringify(this.#numbers.slice(start, start + 10_000))
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

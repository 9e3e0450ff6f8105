import { type Elsewhere, type Fields, isThere, type Match, type Matcher } from '../query/matcher.ts'
import { type Judge, PatternThread, type RegexSource } from './pattern-thread.ts'

/**
 * Matches with JavaScript's engine, which may take for ever on some patterns. It therefore runs in a thread that can be
 * ended.
 */
export class BacktrackingMatcher implements Matcher {
  readonly termCount = 1
  readonly elsewhere: Elsewhere
  readonly #places = new Map<string, readonly (readonly [start: number, end: number])[]>()

  /** @param judge runs the pattern; default: a thread that is started with the first question */
  constructor(pattern: RegexSource, signal?: AbortSignal, judge: Judge = new PatternThread(pattern, signal)) {
    this.elsewhere = {
      judge: (rows) => judge.test(rows.map((fields) => fields.filter(isThere))),
      look: async (texts) => {
        const found = texts.length === 0 ? [] : await judge.find(texts)
        texts.forEach((text, i) => {
          this.#places.set(text, found[i] ?? [])
        })
      },
      close: () => judge.close(),
    }
  }

  /** Only called for fields that `judge` or `look` was given before. */
  matches(fields: Fields): boolean {
    return fields.some((field) => (this.#places.get(field) ?? []).length > 0)
  }

  mayMatchIn(): boolean {
    return true
  }

  /** Only called for hits. */
  holding(): boolean[] {
    return [true]
  }

  find(text: string, limit: number): Match[] {
    const places = this.#places.get(text) ?? []
    return places.slice(0, limit).map(([start, end]) => ({ start, end, term: 0 }))
  }
}

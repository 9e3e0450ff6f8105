import type { Scope } from './scope.ts'

/** The fields with texts of the conversation. They are shown unchanged, and their tokens are charged. */
const TEXTS: ReadonlySet<string> = new Set([
  ...[
    'content',
    'snippet',
    'excerpt',
    'answer',
    'title',
    'fileName',
    'explorationSummary',
    'text',
    'sentence',
    'instead',
  ],
])
/** The fields that never hold an id. Any other text of an answer may be one. */
const NO_IDS: ReadonlySet<string> = new Set([
  ...TEXTS,
  ...['notes', 'fallback', 'mimeType', 'kind', 'role', 'field', 'level', 'visibility', 'state', 'section'],
  ...['provider', 'model', 'promptVersion', 'nextCursor', 'next'],
])
const LONGEST_ID = 512

/**
 * Removes from an answer every id that the scope hides. Such ids occur because in some systems, and in damaged files, a
 * summary of one conversation covers messages of another.
 */
export class ScopedView {
  readonly #scope: Scope
  readonly #known = new Map<string, boolean>()

  constructor(scope: Scope) {
    this.#scope = scope
  }

  of<T>(answer: T): T {
    return this.#cleaned(answer, '') as T
  }

  #cleaned(value: unknown, key: string): unknown {
    if (NO_IDS.has(key)) return value
    if (typeof value === 'string') return this.#isHidden(value) ? null : value
    if (Array.isArray(value))
      return value.filter((one) => !this.#namesHidden(one)).map((one) => this.#cleaned(one, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#cleaned(one, name)]))
  }

  #namesHidden(value: unknown): boolean {
    if (typeof value === 'string') return this.#isHidden(value)
    const isObject = typeof value === 'object' && value !== null
    return isObject && 'id' in value && typeof value.id === 'string' && this.#isHidden(value.id)
  }

  #isHidden(text: string): boolean {
    if (text === '' || text.length > LONGEST_ID) return false
    let isHidden = this.#known.get(text)
    if (isHidden === undefined) {
      isHidden = this.#scope.hides(text)
      this.#known.set(text, isHidden)
    }
    return isHidden
  }
}

/** Returns the texts of an answer that come from the memory. */
export function textsOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return TEXTS.has(key) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, Array.isArray(value) ? key : name))
}

/** Returns the ids of the objects in an answer, each once. */
export function idsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'id' in value && typeof value.id === 'string' ? [value.id] : []
  return [...new Set([...own, ...Object.values(value).flatMap(idsOf)])]
}

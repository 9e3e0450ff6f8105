/** An entry of the palette. */
export type PaletteEntry = {
  readonly key: string
  readonly group: 'Recent' | 'Go to' | 'Actions' | 'Conversations' | 'Notes' | 'Ids' | 'Search'
  readonly label: string
  /** Further words by which it is found. */
  readonly words?: string
  /** Shown at the right: keys or a count. */
  readonly hint?: string
  readonly run: () => void
}

/** So many conversations stand in the palette before something is typed. */
const RESTING_CONVERSATIONS = 5
const MOST_RECENT = 5
/** More keys than are shown, because those of other files stand among them. */
const MOST_REMEMBERED = 40

/**
 * The entries before something is typed, group by group: what was used last, the newest conversations, actions, and
 * then all views. At most `limit` entries are returned.
 */
export function restingEntries(
  known: readonly PaletteEntry[],
  recentKeys: readonly string[],
  limit: number,
): readonly PaletteEntry[] {
  const recent = recentKeys.flatMap((key) => known.filter((entry) => entry.key === key)).slice(0, MOST_RECENT)
  const others = known.filter((entry) => !recent.includes(entry))
  const of = (group: PaletteEntry['group']) => others.filter((entry) => entry.group === group)
  return [
    ...recent.map((entry) => ({ ...entry, group: 'Recent' as const })),
    ...of('Conversations').slice(0, RESTING_CONVERSATIONS),
    ...of('Actions'),
    ...of('Go to'),
    ...of('Notes'),
  ].slice(0, limit)
}

/** The keys of what was used last after an entry was used. A search or an id is never offered again by itself. */
export function withUsed(
  recentKeys: readonly string[],
  usedKey: string,
  known: readonly PaletteEntry[],
): readonly string[] {
  if (!known.some(({ key }) => key === usedKey)) return recentKeys
  return [...new Set([usedKey, ...recentKeys])].slice(0, MOST_REMEMBERED)
}

/** The key of what has the same id in several files, as a conversation and a note do. */
export const keyInFile = (kind: 'conversation' | 'note', id: number | string, path: string): string =>
  `${kind} ${id} in ${path}`

/** Ids as the known systems write them, and message numbers. */
const ID = /^(msg_\d+|(sum|file|leaf|cond|node|summary)[_-]\S+|[0-9a-f]{12,})$/i

/** An id that was typed or pasted, or null. */
export function typedId(text: string): string | null {
  const trimmed = text.trim()
  return ID.test(trimmed) ? trimmed : null
}

/**
 * Returns the entries that contain every typed word, best first: the label begins with the text, a word of it does, or
 * it contains it. At most `limit` entries are returned.
 */
export function findEntries(entries: readonly PaletteEntry[], text: string, limit: number): readonly PaletteEntry[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .map((entry, index) => ({ entry, index, score: score(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, limit)
    .map(({ entry }) => entry)
}

function score({ label, words: more = '' }: PaletteEntry, words: readonly string[]): number {
  const text = label.toLocaleLowerCase()
  const scores = words.map((word) => {
    if (text.startsWith(word)) return 4
    if (text.includes(` ${word}`)) return 3
    if (text.includes(word)) return 2
    return more.toLocaleLowerCase().includes(word) ? 1 : 0
  })
  return scores.length === 0 ? 1 : Math.min(...scores)
}

const MOST_CHARS = 4000

/** Returns the words of a search that a text may have, or null for a pattern and for a search without words. */
export function tracedWords(query: string, mode = 'full_text'): string | null {
  if (mode === 'regex') return null
  const words = mode === 'literal' ? query : query.replace(/\bNOT\s+\S+|\b(?:AND|OR)\b|"|\*(?=\s|$)/g, ' ')
  return words.replace(/\s+/g, ' ').trim().slice(0, MOST_CHARS) || null
}

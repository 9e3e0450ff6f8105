import { termsOf } from '../models/terms.ts'

// Common constants. Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.
const K1 = 1.2
const B = 0.75

/** Returns the BM25 score of each text for the query, 0 where no term occurs. */
export function rankByRelevance(texts: Iterable<string>, query: string): number[] {
  const wanted = [...new Set(termsOf(query))]
  const places = new Map(wanted.map((term, place) => [term, place]))
  const found = new Int32Array(wanted.length)
  const documents: { length: number; frequencies: ReadonlyMap<number, number> }[] = []
  let totalLength = 0
  for (const text of texts) {
    const terms = termsOf(text)
    const frequencies = new Map<number, number>()
    for (const term of terms) {
      const place = places.get(term)
      if (place !== undefined) frequencies.set(place, (frequencies.get(place) ?? 0) + 1)
    }
    for (const place of frequencies.keys()) found[place] = (found[place] ?? 0) + 1
    documents.push({ length: terms.length, frequencies })
    totalLength += terms.length
  }
  const averageLength = totalLength / documents.length || 1
  const rarity = Array.from(found, (count) => Math.log(1 + (documents.length - count + 0.5) / (count + 0.5)))
  return documents.map(({ length, frequencies }) => {
    let score = 0
    for (const [place, count] of frequencies) {
      score += ((rarity[place] ?? 0) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / averageLength))
    }
    return score
  })
}

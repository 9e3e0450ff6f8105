import type { TimeSlice } from '#core/yielding.ts'
import type { Corpus } from '../indexes/corpus.ts'
import { piecesOf } from './recipe.ts'
import type { SignTable } from './sign-table.ts'
import type { VectorFile } from './vector-file.ts'

/** At most this many rows of a corpus are found by what they say. */
const NEAREST_ROWS = 64
/** At most this many vectors are read, those that seem nearest by their signs. */
const READ_VECTORS = 512

/**
 * Returns the rows of a corpus that are nearest to a question, with the cosines of their nearest pieces. The text of
 * each row is read: a row whose text has changed since it got its vector is left out.
 * @param allows whether a row may be found
 */
export async function findNear(
  question: Float32Array,
  { corpus, table, file }: { readonly corpus: Corpus; readonly table: SignTable; readonly file: VectorFile },
  allows: (row: number) => boolean,
  slice: TimeSlice,
): Promise<ReadonlyMap<number, number>> {
  const places = await table.nearest(question, READ_VECTORS, allows, slice)
  const vectors = file.vectors(places.map((place) => table.vectors[place] as number))
  await slice.yieldIfOver()
  const nearest = new Map<number, { readonly cosine: number; readonly hash: string }>()
  for (const place of places) {
    const row = table.rows[place] as number
    const found = vectors.get(table.vectors[place] as number)
    if (!found || found.vector.length !== question.length) continue
    const cosine = product(question, found.vector)
    if (cosine > (nearest.get(row)?.cosine ?? Number.NEGATIVE_INFINITY)) nearest.set(row, { cosine, hash: found.hash })
  }
  const best = [...nearest].sort(([a, one], [b, other]) => other.cosine - one.cosine || b - a).slice(0, NEAREST_ROWS)
  await slice.yieldIfOver()
  const texts = corpus.texts(best.map(([row]) => row))
  const present = best.filter(([row, { hash }]) => {
    const fields = texts.get(row)
    return fields && piecesOf(corpus.kind, fields).some((piece) => piece.hash.toString('hex') === hash)
  })
  return new Map(present.map(([row, { cosine }]) => [row, cosine]))
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number)
  return sum
}

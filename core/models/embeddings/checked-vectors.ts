import type { EmbeddingReply } from '../summarizers/ai-sdk-call.ts'
import { CallFailure } from '../summarizers/call-failure.ts'

/** No model that is known has longer vectors. */
const MOST_DIMENSIONS = 8192

/**
 * Returns the vectors with length 1, in the order of the texts: a server may answer in another one and number them.
 * @throws CallFailure when they are not one usable vector for each text
 */
export function checkedVectors(
  { vectors: answered, indexes }: EmbeddingReply,
  texts: number,
  host: string,
): readonly Float32Array[] {
  const refuse = (what: string): never => {
    throw new CallFailure('failed', `The answer of ${host} cannot be used: ${what}.`, { isBilled: true })
  }
  if (answered.length !== texts) refuse(`${answered.length} vectors for ${texts} texts`)
  const vectors = inOrder(answered, indexes) ?? refuse('the numbers of its vectors are not those of the texts')
  const dimensions = vectors[0]?.length ?? 0
  if (dimensions < 2 || dimensions > MOST_DIMENSIONS) refuse(`vectors of ${dimensions} numbers`)
  return vectors.map((vector) => {
    if (vector.length !== dimensions) refuse(`vectors of ${dimensions} and of ${vector.length} numbers`)
    const length = Math.hypot(...vector)
    if (!Number.isFinite(length) || length === 0) refuse('a vector without a direction')
    return Float32Array.from(vector, (value) => value / length)
  })
}

/** Null when only some of the vectors are numbered, or not from 0 and each once. */
function inOrder(
  vectors: EmbeddingReply['vectors'],
  indexes: EmbeddingReply['indexes'],
): EmbeddingReply['vectors'] | null {
  if (indexes.every((index) => index === undefined)) return vectors
  const ordered = vectors.map((_, place) => vectors[indexes.indexOf(place)])
  return ordered.every((vector) => vector !== undefined) ? ordered : null
}

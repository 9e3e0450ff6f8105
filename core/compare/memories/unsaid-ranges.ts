import { TextIndex } from '#core/provenance/text-index.ts'
import { readingDetails, type Sentence } from '#core/trace/details.ts'
import { FateFinder } from '#core/trace/fates.ts'
import { goingOn, type TimeSlice } from '#core/yielding.ts'

/**
 * Returns the ranges of a text that another text does not say: sentences of which at least one detail does not stand
 * there, or that do not stand there as a whole.
 */
export async function unsaidRanges(text: string, other: string, slice: TimeSlice): Promise<[number, number][]> {
  const own = { id: '', kind: 'summary', field: 'content', part: null } as const
  const details = await goingOn(readingDetails([{ ...own, text, isSaid: true }], 'words'), slice)
  const index = new TextIndex()
  await index.add({ ...own, text: other }, slice)
  const finder = new FateFinder(details, index)
  const ranges: [number, number][] = []
  for (const sentence of details.sentences) {
    if (finder.keptOf(sentence).includes(false)) ranges.push(rangeOf(sentence))
    if (slice.isOver) await slice.yield()
  }
  return ranges

  function rangeOf({ claim, details: [detail] }: Sentence): [number, number] {
    if (!detail) return [0, 0]
    const { specifics } = details.vocabulary
    const place = detail.specific === null ? claim : (specifics[detail.specific] ?? claim)
    const offset = detail.start - place.start
    return [claim.start + offset, claim.end + offset]
  }
}

import type { FactPlace, FactTrace, LostAt, Rung } from '#core/contract/trace.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { type Passage, readable } from '#renderer/ui/texts/readable-passage.ts'

const madeBy = ({ run, atMs }: LostAt, nowMs: number): string =>
  [run === null ? null : `by compaction ${formatCount(run)}`, atMs === null ? null : formatShort(atMs, nowMs)]
    .filter((part) => part !== null)
    .join(', ')

/** One or two sentences that say what became of it. */
export function verdictOf(trace: FactTrace, nowMs: number): { readonly before: string; readonly after: string } {
  const { inWindow, lostAt, state, details } = trace
  if (details.length === 0) return { before: 'Nothing in it can be followed', after: '' }
  if (lostAt === null) {
    if (inWindow) return { before: 'All of it stands in the window', after: '' }
    if (state === 'partly') return { before: 'Some of it stands in the window', after: '' }
    if (state === 'left_out') return { before: 'It stands in the window, but the model is not given it', after: '' }
    return {
      before: state === 'unknown' ? 'It may stand in the window in other words' : 'It is not in the window',
      after: '',
    }
  }
  const isInPart = state === 'partly' || state === 'left_out'
  const what = isInPart ? 'Partly lost' : state === 'changed' ? 'Changed' : 'Lost'
  const made = madeBy(lostAt, nowMs)
  const sources =
    lostAt.depth === 0 ? plural(lostAt.sources, 'message') : plural(lostAt.sources, 'summary', 'summaries')
  return { before: `${what} at`, after: `${made}${made === '' ? '' : ', '}when ${sources} became one` }
}

/** The sentence under the verdict. */
export function verdictNote({ inWindow, lostAt, toldAgain, ladder }: FactTrace): string {
  if (inWindow && lostAt !== null && toldAgain.length > 0) return ''
  const rung = ladder.find(({ id }) => id !== null && id === lostAt?.id)
  if (rung && rung.kept > 0) return `The summary kept ${formatCount(rung.kept)} of ${plural(rung.details, 'detail')}.`
  return ''
}

/** Leaves out what says nothing without its sentence: numbers of one or two digits, such as those of lines. */
export const tellingAlone = <T extends { readonly detail: { readonly text: string } }>(
  lost: readonly T[],
): readonly T[] => lost.filter(({ detail }) => !/^\d{1,2}$/.test(detail.text))

/** `leaf`, `depth 1`, `window`: the layer of a rung. */
export function layerOf({ kind, depth }: Rung): string {
  if (kind === 'window') return 'window'
  return kind === 'message' ? 'message' : depthLabel(depth ?? 0)
}

/**
 * Returns the excerpt of a place or rung as a person reads it: prose without signs of Markdown, the input of a tool
 * without escapes, and what a tool says as it is.
 */
export const shownExcerpt = ({
  excerpt,
  marks,
  field,
  role,
}: Pick<FactPlace, 'excerpt' | 'marks' | 'field' | 'role'>) =>
  readable({ text: excerpt, matches: marks }, field === 'tool_input' ? 'json' : role === 'tool' ? 'code' : 'prose')

/** The two lines of a narrow list have room for at most so much before a mark. Where there is more, so much is left. */
const MOST_BEFORE = 40
const LEFT_BEFORE = 24

/** Returns an excerpt that begins so near to its first mark that this is seen, also after a word of hundreds of characters. */
export function beforeMark({ text, matches }: Passage): Passage {
  const first = matches[0]?.[0] ?? 0
  if (first <= MOST_BEFORE) return { text, matches }
  const wanted = first - LEFT_BEFORE
  const space = text.indexOf(' ', wanted)
  const from = space >= 0 && space < first ? space + 1 : wanted
  const cut = text.slice(from).toWellFormed()
  return { text: `…${cut}`, matches: matches.map(([start, end]) => [start - from + 1, end - from + 1]) }
}

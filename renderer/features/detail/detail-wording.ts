import type { Visibility } from '#core/contract/ids.ts'
import type { Description } from '#core/contract/lineage.ts'
import type { GrepHit, Matches } from '#core/contract/retrieval.ts'
import type { Tone } from '#renderer/ui/controls/chip.tsx'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { messageText } from '#renderer/ui/nodes/message-number.ts'
import { formatCompression, formatCount, plural } from '#renderer/ui/texts/format.ts'

/** The heading over a node: `Summary`, `Message`, `File`. */
export function kindHeading({ kind }: Pick<Description, 'kind'>): string {
  if (kind === 'message') return 'Message'
  return kind === 'file' ? 'File' : 'Summary'
}

/** `summary of summaries · depth 1`, `first summary`, `tool`, `file`. */
export function kindText({ kind, depth, role }: Pick<Description, 'kind' | 'depth' | 'role'>): string {
  if (kind === 'message') return role ?? 'message'
  if (kind === 'leaf') return depthLabel(0)
  return kind === 'condensed' ? `summary of summaries · ${depthLabel(depth ?? 1)}` : kind
}

/** `messages 2,549 – 3,337`: what it covers. */
export function coversText({ sourceRange }: Pick<Description, 'sourceRange'>): string | null {
  if (sourceRange === null) return null
  const { first, last } = sourceRange
  return first === last ? messageText(first) : `messages ${formatCount(first)} – ${formatCount(last)}`
}

/** `of 93,480 · 50.6×`: the tokens of its sources, if they are known. */
export function compressionText({
  sourceTokens,
  compression,
}: Pick<Description, 'sourceTokens' | 'compression'>): string {
  if (sourceTokens === null) return ''
  const factor = compression === null ? '' : ` · ${formatCompression(compression)}`
  return ` of ${formatCount(sourceTokens)}${factor}`
}

/** Says whether the node is in the window now. */
export function visibilityChip(visibility: Visibility, contextOrdinal: number | null): { text: string; tone: Tone } {
  if (visibility === 'in_window') {
    const ordinal = contextOrdinal === null ? '' : ` · #${formatCount(contextOrdinal)}`
    return { text: `in the window${ordinal}`, tone: 'lit' }
  }
  if (visibility === 'covered') return { text: 'covered', tone: 'neutral' }
  return { text: 'out of reach', tone: 'error' }
}

/** `9 sources · 1 dependent` */
export function linksText({ sourceCount, dependents }: Pick<Description, 'sourceCount' | 'dependents'>): string {
  return `${plural(sourceCount, 'source')} · ${plural(dependents.length, 'dependent')}`
}

/**
 * `2 of 5 matches`, and how many the whole text has when not all of it is shown.
 * @param ahead the matches in the whole text, or null when all of it is shown
 */
export function foundText(found: {
  readonly current: number
  readonly shown: number
  readonly ahead: Matches | null
}): string {
  const { current, shown, ahead } = found
  const matches = shown === 1 ? '1 match' : `${formatCount(current + 1)} of ${plural(shown, 'match', 'matches')}`
  if (ahead === null || (!ahead.isCut && ahead.ranges.length <= shown)) return matches
  return `${matches} so far · ${formatCount(ahead.ranges.length)}${ahead.isCut ? ' or more' : ''} in the whole text`
}

const FIELD_NAMES = {
  tool_input: 'the tool’s input',
  tool_output: 'the tool’s output',
  reasoning: 'the reasoning',
} as const

/** Says where the words are that a search found when the text has none of them. */
export function foundElsewhere(field: GrepHit['field'], isFile: boolean): string {
  if (isFile) return 'Not in this summary: the words are in the file or its name.'
  if (field === 'content') return 'None of the searched words is in this text.'
  return `Not in this text: the words are in ${FIELD_NAMES[field]}, which the transcript shows.`
}

import { ROLES, SUMMARY_LEVELS } from '#core/contract/lists.ts'
import type { Note } from '#core/contract/notes.ts'
import type { Strata } from '#core/contract/strata.ts'
import { type Findings, findingText, NO_FINDINGS } from '#renderer/ui/data/findings.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { noteText } from '#renderer/ui/nodes/note-text.ts'
import { formatCompression, formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import type { Hit } from './hit.ts'
import { markText } from './mark-groups.ts'

/** The text of a tooltip: an id in a monospaced font or a title, then a line for each fact. */
export type TooltipText = { readonly id: string | null; readonly title: string; readonly lines: readonly string[] }

type Notes = Pick<ReadonlyMap<string, Pick<Note, 'isPinned' | 'text'>>, 'get'>
/** A tooltip shows the beginning of a note. */
const NOTE_CHARS = 160

/** Findings of the last scan come last, and before them what is pinned or noted. */
export function tooltipText(
  hit: Hit,
  strata: Strata,
  findings: Findings = NO_FINDINGS,
  notes: Notes = new Map(),
): TooltipText {
  const text = ownText(hit, strata)
  if (text.id === null) return text
  const [note, finding] = [notes.get(text.id), findings.get(text.id)]
  return {
    ...text,
    lines: [
      ...text.lines,
      ...(note ? [noteText(note).replace(/\s+/g, ' ').slice(0, NOTE_CHARS)] : []),
      ...(finding ? [findingText(finding)] : []),
    ],
  }
}

function ownText(hit: Hit, strata: Strata): TooltipText {
  switch (hit.kind) {
    case 'summary':
      return summaryText(strata.summaries, hit.entry)
    case 'summaries':
      return {
        id: null,
        title: `${plural(hit.count, 'summary', 'summaries')} · ${depthLabel(hit.depth)}`,
        lines: ['too close together to tell apart', 'click to zoom in'],
      }
    case 'messages':
      return hit.count === 1
        ? {
            id: `msg_${hit.firstMessage}`,
            title: `${ROLES[hit.role] ?? 'message'} · ${formatTokens(hit.tokens)}`,
            lines: [hit.inWindow > 0 ? 'in the window' : 'not itself in the window'],
          }
        : {
            id: null,
            title: `${plural(hit.count, 'message')} · mostly ${ROLES[hit.role] ?? 'unknown'}`,
            lines: [
              `${formatTokens(hit.tokens)}, the largest ${formatTokens(hit.largestTokens)}`,
              ...(hit.inWindow > 0 ? [`${plural(hit.inWindow, 'message')} in the window`] : []),
              'click to zoom in',
            ],
          }
    case 'window':
      return {
        id: hit.run.id,
        title: `${hit.run.id === null ? 'raw messages' : depthLabel(hit.run.depth)} ${hit.run.isLeftOut ? 'wants in, but is left out of the window' : 'in the window'}`,
        lines: [`${plural(hit.run.items, 'item')} · ${formatTokens(hit.run.tokens)}`],
      }
    case 'mark':
      return { id: null, title: markText(hit.mark), lines: [`from ${hit.mark.firstId}`, 'click to go there'] }
    case 'planned':
      return { id: null, title: `step ${hit.step + 1} of the plan`, lines: ['not there yet'] }
    case 'compaction':
      return { id: null, title: `compaction · ${formatShort(hit.run.atMs)}`, lines: [hit.run.runId] }
  }
}

function summaryText(summaries: Strata['summaries'], entry: number): TooltipText {
  const tokens = summaries.tokens[entry] ?? 0
  const sourceTokens = summaries.sourceTokens[entry] ?? 0
  const createdAtMs = summaries.createdAtMs[entry] ?? null
  const level = SUMMARY_LEVELS[summaries.level[entry] ?? -1] ?? 'unknown'
  const compression = tokens > 0 && sourceTokens > 0 ? ` · ${formatCompression(sourceTokens / tokens)}` : ''
  const isInWindow = summaries.inWindow[entry] === 1
  return {
    id: summaries.id[entry] ?? '',
    title: `${depthLabel(summaries.depth[entry] ?? 0)} · ${isInWindow ? 'in the window' : 'not itself in the window'}`,
    lines: [
      `covers ${plural(summaries.messages[entry] ?? 0, 'message')}`,
      `${formatCount(tokens)} of ${formatTokens(sourceTokens)}${compression}`,
      ...(createdAtMs === null ? [] : [`made ${formatShort(createdAtMs)}`]),
      ...(level === 'unknown' || level === 'normal' ? [] : [`level ${level}`]),
    ],
  }
}

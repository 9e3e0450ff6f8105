import { isoTime } from '../clock.ts'
import { escapeMarkup } from '../markup.ts'

export type SummaryText = {
  readonly id: string
  readonly kind: string
  readonly depth: number
  /** The stored number of summaries that it reaches through its sources. */
  readonly descendantCount: number | null
  /** The number of messages that it covers. */
  readonly messages: number
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
  /** Ids of its sources, in order. */
  readonly sources: readonly string[]
  /** Ids of the large files that it stands for. */
  readonly files: readonly string[]
  readonly content: string
}

/**
 * Renders a summary for the window in a wrapper, so that an agent knows what it is and which ids it may expand. All
 * text from the file is escaped, so that no summary can end the wrapper or begin another. Large files that its text
 * does not name stand beside it, because otherwise no agent would know of them.
 */
export function renderSummary(summary: SummaryText): string {
  const attributes = {
    id: summary.id,
    kind: summary.kind,
    depth: summary.depth,
    descendant_count: summary.descendantCount,
    messages: summary.messages,
    earliest_at: isoTime(summary.earliestAtMs),
    latest_at: isoTime(summary.latestAtMs),
  }
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${escapeMarkup(String(value))}"`)
    .join('')
  const sources = escapeMarkup(summary.sources.join(' '))
  const unnamed = summary.files.filter((id) => !summary.content.includes(id))
  const files = unnamed.length === 0 ? '' : `<files>${escapeMarkup(unnamed.join(' '))}</files>\n`
  return `<summary${list}>\n<sources>${sources}</sources>\n${files}<content>\n${escapeMarkup(summary.content)}\n</content>\n</summary>`
}

import type { CoverageReport } from '../../../core/contract/coverage.ts'
import { plural } from '../../ui/format.ts'

/** One message that is not on both sides as it should be. */
export type CoverageRow = {
  /** The message here that is concerned; of a missing one, that behind which it ought to stand. */
  readonly id: string | null
  readonly line: number | null
  readonly role: string
  /** What the transcript says. */
  readonly excerpt: string
  /** What the memory says instead. */
  readonly stored: string | null
  readonly note: string | null
}

export type CoverageGroup = {
  readonly title: string
  readonly count: number
  /** No fault by itself. */
  readonly isExpected: boolean
  readonly rows: readonly CoverageRow[]
}

const DIFFERS = { text: 'the text differs', role: 'the role differs', tool_calls: 'the tool calls differ' } as const

/** The differences by kind, what is missing first; kinds without any are left out. */
export function coverageGroups(report: CoverageReport): readonly CoverageGroup[] {
  const { counts } = report
  const groups: CoverageGroup[] = [
    {
      title: 'Missing here',
      count: counts.missing,
      isExpected: false,
      rows: report.missing.map(({ line, role, excerpt, afterMessageId }) => ({
        id: afterMessageId,
        line,
        role,
        excerpt,
        stored: null,
        note: afterMessageId === null ? 'at the beginning' : 'behind',
      })),
    },
    {
      title: 'Here twice',
      count: counts.duplicated,
      isExpected: false,
      rows: report.duplicated.map(({ line, role, excerpt, messageId }) => ({
        id: messageId,
        line,
        role,
        excerpt,
        stored: null,
        note: null,
      })),
    },
    {
      title: 'Not as it was said',
      count: counts.differing,
      isExpected: false,
      rows: report.differing.map(({ line, role, excerpt, storedExcerpt, messageId, differs }) => ({
        id: messageId,
        line,
        role,
        excerpt,
        stored: storedExcerpt,
        note: DIFFERS[differs],
      })),
    },
    {
      title: 'Here only',
      count: counts.extra,
      isExpected: true,
      rows: report.extra.map(({ role, excerpt, messageId }) => ({
        id: messageId,
        line: null,
        role,
        excerpt,
        stored: null,
        note: null,
      })),
    },
  ]
  return groups.filter(({ count }) => count > 0)
}

/** `Every message of the transcript is here`, or what is not. */
export function coverageTitle({ ok, counts }: Pick<CoverageReport, 'ok' | 'counts'>): string {
  if (ok) return 'Every message of the transcript is here'
  const parts = [
    counts.missing > 0 && `${plural(counts.missing, 'message')} missing`,
    counts.duplicated > 0 && `${plural(counts.duplicated, 'message')} twice`,
    counts.differing > 0 && `${plural(counts.differing, 'message')} not as said`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

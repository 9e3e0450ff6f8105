import type { CoverageReport } from '#core/contract/coverage.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'

type CoverageRow = {
  readonly key: string
  readonly line: number | null
  /** The role that said it, or the field of a record that has it. */
  readonly role: string
  readonly excerpt: string
  /** The text in the memory, or null. */
  readonly stored: string | null
  readonly storedLabel: string
  readonly messageId: string | null
}

export type CoverageSection = {
  readonly title: string
  readonly explanation: string
  readonly roleColumn: 'role' | 'field'
  /** Null where no message of the memory belongs to a row. */
  readonly messageColumn: string | null
  /** True for a fault, false for a remark. */
  readonly isFault: boolean
  readonly count: number
  readonly rows: readonly CoverageRow[]
}

const DIFFERS = {
  text: 'in the memory',
  role: 'in the memory, as said by another',
  tool_calls: 'called with other arguments',
} as const

/** The comparison in one sentence. */
export function verdictOf({ ok, isEverything, counts, lostTextCount }: CoverageReport): string {
  if (isEverything) return 'Everything that the transcript says is in the memory'
  if (ok) return 'No message of the transcript is missing'
  const words = [
    [counts.missing, 'missing'],
    [counts.duplicated, 'stored twice'],
    [counts.differing, 'different'],
    [lostTextCount, lostTextCount === 1 ? 'text lost' : 'texts lost'],
  ] as const
  const found = words.flatMap(([count, word]) => (count === 0 ? [] : `${formatCount(count)} ${word}`))
  return found.join(', ')
}

/** Findings by kind, what is wrong first; kinds without any are left out. */
export function sectionsOf(report: CoverageReport): CoverageSection[] {
  const { counts } = report
  const plain = { stored: null, storedLabel: '' }
  const sections: CoverageSection[] = [
    {
      title: 'Never arrived',
      explanation: 'In the transcript, nowhere in this conversation of the memory.',
      roleColumn: 'role',
      messageColumn: 'ought to follow',
      isFault: true,
      count: counts.missing,
      rows: report.missing.map((one, index) => ({
        ...plain,
        key: `missing ${index}`,
        line: one.line,
        role: one.role,
        excerpt: one.excerpt,
        messageId: one.afterMessageId,
      })),
    },
    {
      title: 'Arrived twice',
      explanation: 'Said once in the transcript, stored again. The message named is the one too many.',
      roleColumn: 'role',
      messageColumn: 'once more as',
      isFault: true,
      count: counts.duplicated,
      rows: report.duplicated.map((one) => ({ ...plain, ...one, key: one.messageId })),
    },
    {
      title: 'Differs',
      explanation: 'At the same position, but not the same.',
      roleColumn: 'role',
      messageColumn: 'message',
      isFault: true,
      count: counts.differing,
      rows: report.differing.map(({ differs, storedExcerpt, ...one }) => ({
        ...one,
        key: one.messageId,
        stored: storedExcerpt,
        storedLabel: DIFFERS[differs],
      })),
    },
    {
      title: 'Texts lost',
      explanation: 'Fields of records that were read, whose text is nowhere in the memory.',
      roleColumn: 'field',
      messageColumn: null,
      isFault: true,
      count: report.lostTextCount,
      rows: report.lostTexts.map((one, index) => ({
        ...plain,
        key: `lost ${index}`,
        line: one.line,
        role: one.field,
        excerpt: one.excerpt,
        messageId: null,
      })),
    },
    {
      title: 'Only in the memory',
      explanation: 'No fault by itself: what the system wrote, or what was said in another session.',
      roleColumn: 'role',
      messageColumn: 'message',
      isFault: false,
      count: counts.extra,
      rows: report.extra.map((one) => ({ ...plain, ...one, line: null, key: one.messageId })),
    },
  ]
  return sections.filter(({ count }) => count > 0)
}

/** The findings as a document with positions and figures only, without text of the conversation. */
export function coverageMarkdown(report: CoverageReport): string {
  const whereText = ({ line, role, messageId }: CoverageRow): string =>
    `- ${line === null ? '' : `line ${line}, `}${role}${messageId === null ? '' : `, ${messageId}`}`
  const lines = [
    `# Conversation ${report.conversationId} beside its transcript`,
    '',
    `${verdictOf(report)}. ${report.inTranscript} messages in the transcript (${report.format}), ` +
      `${report.inDatabase} in the memory, ${report.matched} the same.`,
    ...sectionsOf(report).flatMap(({ title, explanation, messageColumn, count, rows }) => [
      '',
      `## ${title} (${count})`,
      '',
      messageColumn === null ? explanation : `${explanation} Last column: ${messageColumn}.`,
      '',
      ...rows.map(whereText),
    ]),
    ...report.notes.flatMap((note) => ['', note]),
  ]
  return `${lines.join('\n')}\n`
}

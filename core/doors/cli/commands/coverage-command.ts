import { z } from 'zod'
import { CoverageInput, CoverageReport } from '#core/contract/coverage.ts'
import { isNative } from '#core/systems/native/native.ts'
import { plural } from '#core/text.ts'
import { defineQuestion, narrowed } from '../command.ts'
import { EXIT } from '../output/output.ts'
import { count, oneLine } from '../output/text.ts'
import { chooseConversation } from '../session.ts'

const SHOWN = 20

export const coverage = defineQuestion({
  name: 'coverage',
  example: 'coverage --db sample.db --conversation 1 --transcript resources/sample.jsonl',
  fields: z.object({ ...narrowed, transcript: CoverageInput.shape.path, format: CoverageInput.shape.format }),
  prints: CoverageReport,
  work: async function* (lcm, { conversationId, transcript: path, format }, signal) {
    const { checkCoverage } = await import('#core/compare/transcript/check-coverage.ts')
    const input = { conversationId: chooseConversation(lcm, conversationId), path, format }
    return yield* checkCoverage({ db: lcm.read, isNative: isNative(lcm.info) }, input, signal)
  },
  text: coverageText,
  exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.findings),
})

function coverageText(report: CoverageReport): string {
  const { counts } = report
  const faults = counts.missing + counts.duplicated + counts.differing
  const verdict = report.isEverything
    ? 'Everything that the transcript says is in the memory.'
    : report.ok
      ? 'No message of the transcript is missing.'
      : faults === 0
        ? `Nowhere in the memory: ${plural(report.lostTextCount, 'text')} of the transcript.`
        : `${count(counts.missing)} missing, ${count(counts.duplicated)} twice, ${count(counts.differing)} different.`
  const place = (line: number | null): string => (line === null ? '' : `line ${line}`)
  return [
    `${verdict} ${plural(report.inTranscript, 'message')} in the transcript, ${count(report.inDatabase)} in the memory, ${count(counts.extra)} of them not from the transcript.`,
    ...section('missing', report.missing, counts.missing, (one) => [place(one.line), one.role, one.excerpt]),
    ...section('twice', report.duplicated, counts.duplicated, (one) => [one.messageId, one.role, one.excerpt]),
    ...section('different', report.differing, counts.differing, (one) => [
      place(one.line),
      `${one.messageId}  ${one.role}  ${one.differs.replace('_', ' ')}`,
      `“${one.excerpt}” is “${one.storedExcerpt}”`,
    ]),
    ...section('only in the memory', report.extra, counts.extra, (one) => [one.messageId, one.role, one.excerpt]),
    ...section('texts that are nowhere in the memory', report.lostTexts, report.lostTextCount, (one) => [
      place(one.line),
      one.field,
      one.excerpt,
    ]),
    ...(report.skippedLines > 0
      ? [`\n${lines(report.skippedLines)} of the transcript were not read as messages; "lcm import" says why.`]
      : []),
    ...report.notes.map((note) => `\n${note}`),
  ].join('\n')
}

const lines = (n: number): string => (n === 1 ? '1 line' : `${plural(n, 'line')}`)

function section<Item>(
  title: string,
  items: readonly Item[],
  total: number,
  cells: (item: Item) => readonly string[],
): string[] {
  if (total === 0) return []
  const shown = items.slice(0, SHOWN).map((item) => `    ${oneLine(cells(item).join('  '), 200)}`)
  const more = total > shown.length ? [`    and ${count(total - shown.length)} more (--json lists up to 1,000)`] : []
  return [`\n${title}  ${count(total)}`, ...shown, ...more]
}

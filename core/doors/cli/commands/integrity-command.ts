import { z } from 'zod'
import { IntegrityReport, type Sample } from '#core/contract/integrity.ts'
import { checksMade, copyingText } from '#core/contract/lists.ts'
import { plural } from '#core/text.ts'
import { defineQuestion, narrowed } from '../command.ts'
import { EXIT } from '../output/output.ts'
import { count, oneLine } from '../output/text.ts'

const SAMPLES_SHOWN = 5

export const integrity = defineQuestion({
  name: 'integrity',
  example: 'integrity --db sample.db',
  fields: z.object(narrowed),
  prints: IntegrityReport,
  async *work(lcm, { conversationId }, signal) {
    const { integrity } = await lcm.doctor()
    return yield* integrity.run(conversationId, signal)
  },
  text: integrityText,
  exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.findings),
})

function integrityText(report: IntegrityReport): string {
  const found = report.checks.filter((check) => check.count > 0)
  const verdict = report.ok
    ? 'Nothing is wrong.'
    : `${plural(report.counts.error, 'error')}, ${plural(report.counts.warning, 'warning')}.`
  return [
    `${verdict} ${checksMade(report)} checks over ${plural(report.messages, 'message')} and ${plural(report.summaries, 'summary', 'summaries')} in ${Math.round(report.durationMs)} ms.`,
    ...(report.copying ? [copyingLines(report.copying)] : []),
    ...found.map((check) => {
      const causes = check.consequenceOf ?? []
      const cause = causes.length > 0 ? `\n    It may merely follow from ${causes.join(', ')}.` : ''
      const todo = check.advice === undefined ? '' : `\n    ${check.advice}`
      return `\n${check.severity}  ${check.id}  ${count(check.count)}\n    ${check.explanation}${cause}${todo}${samplesText(check.samples)}`
    }),
    ...(report.byDesign ?? []).map(
      (way) =>
        `\nby design of ${oneLine(way.systemLabel, 60)}  ${way.id}  ${count(way.count)}\n    ${oneLine(way.why, 600)}${samplesText(way.samples)}`,
    ),
  ].join('\n')
}

const copyingLines = (copying: NonNullable<IntegrityReport['copying']>): string =>
  [
    copyingText(copying),
    ...(copying.settled.length > 0 ? [`    settled: ${copying.settled.join(', ')}`] : []),
    ...(copying.brought.length > 0 ? [`    brought: ${copying.brought.join(', ')}`] : []),
  ].join('\n')

const samplesText = (samples: readonly Sample[]): string =>
  samples
    .slice(0, SAMPLES_SHOWN)
    .map((sample) => `\n    ${oneLine(`${sample.id ?? ''}  ${sample.detail}`, 200)}`)
    .join('')

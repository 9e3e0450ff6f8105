import type { CheckResult, IntegrityReport } from '#core/contract/integrity.ts'
import { checksMade } from '#core/contract/lists.ts'
import { byDesign, byDesignTitle, groupChecks, reportTitle } from './report-groups.ts'

/** The report as a document to attach to a bug report. Ids and figures only: no text of the conversation. */
export function reportMarkdown(report: IntegrityReport, path: string): string {
  const ways = byDesign(report)
  const { findings, expected, passed, notApplicable } = groupChecks(report.checks, ways)
  const lines = [
    `# Health of ${inline(path)}`,
    '',
    `${reportTitle(report)}: ${checksMade(report)} checks over ${report.messages} messages and ` +
      `${report.summaries} summaries, ${new Date(report.finishedAtMs).toISOString()}.`,
    ...findings.flatMap(section),
    ...(expected.length > 0 ? ['', '# Expected, not damage', ...expected.flatMap(section)] : []),
    ...(ways.length > 0 ? ['', `# ${oneLine(byDesignTitle(report))}, not damage`, ...ways.flatMap(section)] : []),
    ...list(
      'Passed',
      passed.map((check) => inline(check.id)),
    ),
    ...list(
      'Not applicable',
      notApplicable.map((check) => `${inline(check.id)}: ${check.notApplicable}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}

function section(check: CheckResult): string[] {
  return [
    '',
    `## ${check.severity}: ${inline(check.id)} (${check.count})`,
    '',
    check.explanation,
    '',
    `Invariant: ${check.invariant}`,
    ...(check.advice === undefined ? [] : ['', `What to do: ${check.advice}`]),
    '',
    ...check.samples.map(
      (sample) => `- ${sample.id === null ? '' : `${inline(sample.id)}: `}${oneLine(sample.detail)}`,
    ),
  ]
}

const list = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ['', `# ${title}`, '', ...items.map((item) => `- ${item}`)]

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** Text from the file as inline code. Backticks in it are replaced. */
const inline = (text: string): string => `\`${oneLine(text).replaceAll('`', 'ˋ')}\``

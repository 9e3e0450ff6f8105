import { isoTime } from '#core/clock.ts'
import type { NamedProbe, ProbedQuestion, ProbeState, ProbeSum } from '#core/contract/probe.ts'
import { escapeMarkup, HTML_END, htmlStart } from '#core/markup.ts'

/** Facts about the memory for the head of a report. */
export type ReportHead = { readonly file: string; readonly conversation: string; readonly madeAtMs: number }

const STATE_NAMES: Readonly<Record<ProbeState, string>> = {
  in_window: 'in the window',
  by_search: 'recoverable by search',
  by_expanding: 'recoverable by expanding only',
  changed: 'changed',
  dropped: 'dropped',
}

/** Returns the state in words, with the number of steps. */
export function stateText({ state, steps, instead }: ProbedQuestion): string {
  if (state === 'by_search' && steps !== null)
    return `recoverable by search in ${steps} ${steps === 1 ? 'step' : 'steps'}`
  if (state === 'by_expanding' && steps !== null)
    return `recoverable by expanding ${steps} ${steps === 1 ? 'summary' : 'summaries'} only`
  return state === 'changed' && instead !== null ? `changed: “${instead}”` : STATE_NAMES[state]
}

/** Returns which summaries of the window stand for the evidence, in words. */
export const depthText = (depth: number | null): string =>
  depth === null ? 'no summary in the window' : depth < 0 ? 'the window itself' : `depth ${depth}`

type Cells = readonly string[]
type Table = { readonly title: string; readonly head: Cells; readonly rows: readonly Cells[] }

const SUMS = ['questions', 'in window', 'by search', 'by expanding', 'changed', 'dropped', 'recall']
const sumCells = (sum: ProbeSum): Cells => [
  ...[sum.questions, sum.inWindow, sum.bySearch, sum.byExpanding, sum.changed, sum.dropped].map(String),
  `${(sum.recall * 100).toFixed(1)} %`,
]

/** Everything that a report says, as tables. */
function tablesOf(reports: readonly NamedProbe[]): Table[] {
  const [first] = reports
  if (!first) return []
  const many = reports.length > 1
  const named = (name: string, cells: Cells): Cells => (many ? [name, ...cells] : cells)
  const head = (...cells: string[]): Cells => (many ? ['window', ...cells] : cells)
  return [
    {
      title: 'As a whole',
      head: ['window', ...SUMS],
      rows: reports.map(({ name, report }) => [name, ...sumCells(report.total)]),
    },
    {
      title: 'By what is asked for',
      head: head('kind', ...SUMS),
      rows: reports.flatMap(({ name, report }) =>
        report.byKind.map((sum) => named(name, [sum.kind, ...sumCells(sum)])),
      ),
    },
    {
      title: 'By the summary in the window that covers the evidence',
      head: head('covered by', ...SUMS),
      rows: reports.flatMap(({ name, report }) =>
        report.byDepth.map((sum) => named(name, [depthText(sum.depth), ...sumCells(sum)])),
      ),
    },
    {
      title: 'Questions',
      head: ['question', 'answer', 'evidence', ...reports.map(({ name }) => name)],
      rows: first.report.questions.map((one, index) => [
        one.question,
        one.answer ?? one.evidence?.text ?? '',
        one.evidence?.id ?? 'none known',
        ...reports.map(({ report }) => stateOfRow(report.questions[index])),
      ]),
    },
  ]
}

const stateOfRow = (one: ProbedQuestion | undefined): string => (one ? stateText(one) : '')

function headLines({ file, conversation, madeAtMs }: ReportHead, reports: readonly NamedProbe[]): string[] {
  const notes = [...new Set(reports.flatMap(({ report }) => report.notes))]
  return [`${conversation} in ${file}, ${isoTime(madeAtMs)}.`, ...notes]
}

const TITLE = 'Would the agent have remembered?'

/** Writes the report as Markdown. Foreign text stays within its cell. */
export function toMarkdownReport(head: ReportHead, reports: readonly NamedProbe[]): string {
  const cell = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\|`*_<>[\]#&]/g, (sign) => `\\${sign}`)
  const line = (cells: Cells): string => `| ${cells.map(cell).join(' | ')} |`
  return [
    `# ${TITLE}`,
    ...headLines(head, reports).map(cell),
    ...tablesOf(reports).map((table) =>
      [`## ${table.title}\n`, line(table.head), `|${' --- |'.repeat(table.head.length)}`, ...table.rows.map(line)].join(
        '\n',
      ),
    ),
    '',
  ].join('\n\n')
}

/** Writes the report as one page that loads nothing and runs nothing. */
export function toHtmlReport(head: ReportHead, reports: readonly NamedProbe[]): string {
  const row = (cells: Cells, tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag} dir="auto">${escapeMarkup(cell)}</${tag}>`).join('')}</tr>`
  return [
    htmlStart(TITLE),
    `<h1>${TITLE}</h1>`,
    ...headLines(head, reports).map((text) => `<p dir="auto">${escapeMarkup(text)}</p>`),
    ...tablesOf(reports).flatMap((table) => [
      `<h2>${table.title}</h2><table><thead>${row(table.head, 'th')}</thead>`,
      `<tbody>${table.rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table>`,
    ]),
    HTML_END,
  ].join('\n')
}

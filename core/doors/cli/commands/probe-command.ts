import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  type GivenQuestion,
  type NamedProbe,
  ProbeInput,
  type ProbeOutcome,
  ProbeReport,
  questionOfLine,
} from '#core/contract/probe.ts'
import { MessageEnds } from '#core/contract/retrieval.ts'
import { Moment } from '#core/contract/time-travel.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { fileError } from '#core/sqlite/memory-file.ts'
import { depthText, stateText, toHtmlReport, toMarkdownReport } from '#core/trace/probe/probe-report.ts'
import { defineCommand, narrowed } from '../command.ts'
import { windowOf } from '../input/parse.ts'
import { interruptible } from '../interruptible.ts'
import { EXIT } from '../output/output.ts'
import { force, requireWritable, writeOutput } from '../output/output-file.ts'
import { count, oneLine, percent, table } from '../output/text.ts'
import { chooseOrNewest, withMemory } from '../session.ts'

const fields = z.object({
  ...narrowed,
  questions: z.string().optional().meta({
    description: 'JSON Lines of {question, answer?, evidence?} (default: made from the memory)',
    value: 'file',
  }),
  limit: ProbeInput.shape.limit,
  ...MessageEnds.shape,
  at: Moment.optional().describe(
    'the window as it was: at a time, or after msg_N, run_ID, or the event of this number',
  ),
  compare: z.array(z.string().transform(windowOf)).optional().meta({
    description:
      'the same questions to another window: a moment, after (a compaction, tried on a copy), preset:NAME, summarizer:NAME',
    value: 'window',
  }),
  minRecall: z.number().min(0).max(1).optional().describe('exit code 3 when recall is lower'),
  report: z
    .string()
    .optional()
    .meta({ description: 'write a report there, by its ending: .md or .html', value: 'file' }),
  force,
})
type Options = z.output<typeof fields>

/** Whether an agent would still know what was said. */
export const probe = defineCommand({
  name: 'probe',
  example: 'probe --db sample.db --conversation 1 --min-recall 0.8 --report probe.html',
  memory: 'reads',
  fields,
  prints: ProbeReport.extend({ compared: z.array(ProbeReport.extend({ name: z.string() })) }),
  run: (input, given) =>
    withMemory(
      given,
      async (lcm) => {
        const reportTo =
          input.report === undefined ? null : { path: resolve(input.report), ...reportKind(input.report) }
        const target = { source: lcm.info.path, isForced: input.force ?? false }
        // A mistake in the path is told before the work is done.
        if (reportTo) requireWritable({ ...target, path: reportTo.path })
        const { reports } = await probeAll(lcm, input)
        const [first, ...others] = reports
        if (!first) throw new Error('there is always a first report')
        if (reportTo) {
          const { reportHead } = await import('#core/jobs/probe-windows.ts')
          const head = reportHead(lcm, first.report.conversationId)
          await writeOutput({ ...target, path: reportTo.path }, (partial) =>
            writeFileSync(partial, reportTo.write(head, reports), { mode: 0o600 }),
          )
        }
        const { recall } = first.report
        const isLow = input.minRecall !== undefined && recall !== null && recall < input.minRecall
        return {
          json: { ...first.report, compared: others.map(({ name, report }) => ({ name, ...report })) },
          text: () => probeText(reports, reportTo?.path ?? null),
          exitCode: isLow ? EXIT.findings : EXIT.done,
        }
      },
      { readOnly: true },
    ),
})

async function probeAll(
  lcm: Lcm,
  { at, compare = [], limit, fromMessage, toMessage, ...options }: Options,
): Promise<ProbeOutcome> {
  const conversationId = chooseOrNewest(lcm, options.conversationId)
  const questions = options.questions === undefined ? undefined : readQuestions(options.questions)
  const { probeWindows } = await import('#core/jobs/probe-windows.ts')
  const input = { ...ProbeInput.parse({ conversationId, at, questions, limit, fromMessage, toMessage }), compare }
  return interruptible((signal) => probeWindows(lcm, input, { settings: lcm.settings }, signal))
}

function readQuestions(path: string): GivenQuestion[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, path)
  }
  const questions = text.split('\n').flatMap((line, index): GivenQuestion[] => {
    if (line.trim() === '') return []
    const question = questionOfLine(line)
    if (question) return [question]
    const message = `Line ${index + 1} of ${path} is no question: each line is {"question": "…", "answer": "…", "evidence": ["msg_…"]}, of which only the question is needed.`
    throw new LcmError('invalid_argument', message, { path })
  })
  if (questions.length === 0) throw new LcmError('invalid_argument', `${path} holds no question.`, { path })
  return questions
}

function reportKind(path: string) {
  if (/\.md$/i.test(path)) return { write: toMarkdownReport }
  if (/\.html?$/i.test(path)) return { write: toHtmlReport }
  throw new LcmError(
    'invalid_argument',
    `A report is Markdown or HTML: name a file that ends in .md or .html, not ${path}.`,
  )
}

const SHOWN = 40

function probeText(reports: readonly NamedProbe[], written: string | null): string {
  const [first] = reports
  const questions = first?.report.questions ?? []
  const sums = ({ name, report: { total } }: NamedProbe) => [
    ...[name, total.questions, total.inWindow, total.bySearch, total.byExpanding, total.changed, total.dropped],
    percent(total.recall),
  ]
  const heads = ['window', 'questions', 'in window', 'by search', 'by expanding', 'changed', 'dropped', 'recall']
  return [
    table(heads, reports.map(sums)),
    ...(first && first.report.byDepth.length > 1
      ? [
          '',
          table(
            ['covered by', ...heads.slice(1)],
            first.report.byDepth.map((sum) =>
              sums({ name: depthText(sum.depth), report: { ...first.report, total: sum } }),
            ),
          ),
        ]
      : []),
    '',
    ...questions
      .slice(0, SHOWN)
      .flatMap((one) => [
        oneLine(one.question, 140),
        `    ${stateText(one)}${one.evidence ? ` · ${one.evidence.id}` : ''}`,
      ]),
    ...(questions.length > SHOWN ? [`… ${count(questions.length - SHOWN)} more: --json or --report has them`] : []),
    ...(first?.report.notes ?? []).map((note) => `note: ${note}`),
    ...(written === null ? [] : [`report: ${written}`]),
  ].join('\n')
}

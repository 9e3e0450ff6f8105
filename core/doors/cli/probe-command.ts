import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { JobProgress } from '../../contract/job.ts'
import { GivenQuestion, ProbeInput, ProbeReport } from '../../contract/probe.ts'
import { PresetName } from '../../contract/settings.ts'
import { Moment } from '../../contract/time-travel.ts'
import { LcmError } from '../../errors.ts'
import type { Lcm } from '../../lcm.ts'
import { fileError } from '../../sqlite/memory-file.ts'
import type { Question } from '../../trace/probe/made-questions.ts'
import {
  depthText,
  type NamedReport,
  stateText,
  toHtmlReport,
  toMarkdownReport,
} from '../../trace/probe/probe-report.ts'
import { defineCommand, narrowed } from './command.ts'
import { presetValues } from './context-command.ts'
import { interruptible, interruptibleCall } from './interruptible.ts'
import { EXIT } from './output.ts'
import { force, requireWritable, writeOutput } from './output-file.ts'
import { moment } from './parse.ts'
import { chooseOrNewest, withMemory } from './session.ts'
import { count, oneLine, percent, table } from './text.ts'

/** A window to compare with: at another moment, or after a compaction that is tried on a copy. */
type Variant = { readonly name: string } & (
  | { readonly at: Moment }
  | { readonly preset?: PresetName; readonly summarizer?: string }
)

const fields = z.object({
  ...narrowed,
  questions: z.string().optional().meta({
    description: 'JSON Lines of {question, answer?, evidence?} (default: made from the memory)',
    value: 'file',
  }),
  limit: ProbeInput.shape.limit,
  at: Moment.optional().describe(
    'the window as it was: at a time, or after msg_N, run_ID, or the event of this number',
  ),
  compare: z.array(z.string().transform(variant)).optional().meta({
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
        const reports = await probeAll(lcm, input)
        const [first, ...others] = reports
        if (!first) throw new Error('there is always a first report')
        if (reportTo) {
          const head = reportHead(lcm, first.report)
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

async function probeAll(lcm: Lcm, { at, compare = [], limit, ...options }: Options): Promise<NamedReport[]> {
  const conversationId = chooseOrNewest(lcm, options.conversationId)
  const questions = options.questions === undefined ? undefined : readQuestions(options.questions)
  const input = ProbeInput.parse({ conversationId, at, questions, limit })
  const asked = await interruptibleCall((signal) => lcm.prober.ask(input, signal))
  const first = await interruptibleCall((signal) => lcm.prober.answer(input, asked.questions, signal))
  const reports: NamedReport[] = [
    { name: at === undefined ? 'now' : 'at the moment', report: { ...first, notes: [...asked.notes, ...first.notes] } },
  ]
  for (const one of compare) {
    const report =
      'at' in one
        ? await interruptibleCall((signal) =>
            lcm.prober.answer({ conversationId, at: one.at }, asked.questions, signal),
          )
        : await onTrial(lcm, conversationId, one, asked.questions)
    reports.push({ name: one.name, report })
  }
  return reports
}

/** Compacts a copy of the memory and asks it the same. The memory itself is only read. */
async function onTrial(
  lcm: Lcm,
  conversationId: number,
  { preset, summarizer }: { readonly preset?: PresetName; readonly summarizer?: string },
  questions: readonly Question[],
): Promise<ProbeReport> {
  const { CompactInput } = await import('../../contract/compaction.ts')
  const settings = await presetValues(preset)
  const compaction = CompactInput.parse({ conversationId, summarizer, settings })
  // An unknown name is told before anything is copied.
  lcm.summarizers.providersOf(compaction.summarizer)
  const folder = mkdtempSync(join(tmpdir(), 'lcm-probe-'))
  try {
    const to = join(folder, 'lcm.db')
    const { copyMemory } = await import('../../doctor/working-copy/copy-memory.ts')
    await interruptible((signal) => copyMemory({ from: lcm, to }, signal))
    const { openLcm } = await import('../../lcm.ts')
    const copy = await openLcm(to, { settings: lcm.settings })
    try {
      const { runJob } = await import('../run-job.ts')
      await interruptible(
        (signal): AsyncGenerator<JobProgress, unknown> => runJob(copy, { kind: 'compact', ...compaction }, signal),
      )
      return await interruptibleCall((signal) => copy.prober.answer({ conversationId }, questions, signal))
    } finally {
      copy.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function variant(text: string): Variant {
  if (text === 'after') return { name: 'after a compaction' }
  const [, kind, name = ''] = /^(preset|summarizer):(.+)$/s.exec(text) ?? []
  if (kind === 'summarizer') return { name: `after one by ${name}`, summarizer: name }
  if (kind === undefined) return { name: text === 'now' ? 'now' : `at ${text}`, at: moment(text) }
  const preset = PresetName.safeParse(name)
  if (preset.success) return { name: `after one with ${name}`, preset: preset.data }
  throw new InvalidArgumentError(`There is no preset "${name}": ${PresetName.options.join(', ')}.`)
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
    const parsed = GivenQuestion.safeParse(jsonOf(line))
    if (parsed.success) return [parsed.data]
    const message = `Line ${index + 1} of ${path} is no question: each line is {"question": "…", "answer": "…", "evidence": ["msg_…"]}, of which only the question is needed.`
    throw new LcmError('invalid_argument', message, { path })
  })
  if (questions.length === 0) throw new LcmError('invalid_argument', `${path} holds no question.`, { path })
  return questions
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function reportKind(path: string) {
  if (/\.md$/i.test(path)) return { write: toMarkdownReport }
  if (/\.html?$/i.test(path)) return { write: toHtmlReport }
  throw new LcmError(
    'invalid_argument',
    `A report is Markdown or HTML: name a file that ends in .md or .html, not ${path}.`,
  )
}

function reportHead({ info, clock, stats }: Lcm, { conversationId }: ProbeReport) {
  const row = stats.conversations().find((one) => one.conversationId === conversationId)
  const title = oneLine(row?.title ?? row?.sessionId ?? '', 120)
  return { file: info.fileName, conversation: `Conversation ${conversationId} (${title})`, madeAtMs: clock() }
}

const SHOWN = 40

function probeText(reports: readonly NamedReport[], written: string | null): string {
  const [first] = reports
  const questions = first?.report.questions ?? []
  const sums = ({ name, report: { total } }: NamedReport) => [
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
            ['stands for it', ...heads.slice(1)],
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

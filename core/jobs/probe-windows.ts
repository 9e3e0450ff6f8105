import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoTime } from '../clock.ts'
import { CompactInput } from '../contract/compaction.ts'
import type { Job, JobProgress } from '../contract/job.ts'
import type {
  NamedProbe,
  ProbeDocument,
  ProbeDocumentInput,
  ProbeJobInput,
  ProbeOutcome,
  ProbeReport,
  ProbeWindow,
} from '../contract/probe.ts'
import type { Moment } from '../contract/time-travel.ts'
import { LcmError } from '../errors.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from '../lcm.ts'
import { cutText, singleLine } from '../text.ts'
import { CANCELLED } from '../trace/probe/asked-questions.ts'
import type { Question } from '../trace/probe/made-questions.ts'
import { type ReportHead, toHtmlReport, toMarkdownReport } from '../trace/probe/probe-report.ts'

type Tried = Extract<ProbeWindow, { after: unknown }>['after']

/**
 * Asks the window of a moment, and then other windows, the same questions. What a compaction would leave is tried on a
 * copy of the memory in a temporary folder, which is removed afterwards; the memory itself is only read.
 * @param open how the copy is opened
 * @throws LcmError not_found, invalid_argument, cancelled, and what a compaction throws
 */
export async function* probeWindows(
  lcm: Lcm,
  { questions, ...input }: ProbeJobInput,
  open: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ProbeOutcome> {
  const { conversationId, at = NOW, compare } = input
  // An unknown summariser is an error before any question is asked or the memory is copied.
  for (const one of compare)
    if ('after' in one) lcm.summarizers.providersOf(compactionOf(conversationId, one.after).summarizer)
  yield { done: 0, total: 0, unit: 'steps', note: questions === undefined ? 'making questions' : 'reading questions' }
  const asked = await lcm.prober.ask({ conversationId, at, limit: input.limit, questions }, signal)
  const reports: NamedProbe[] = []
  for (const window of [{ at }, ...compare]) {
    const name = windowName(window)
    const told = {
      done: reports.length * asked.questions.length,
      total: (1 + compare.length) * asked.questions.length,
      name,
    }
    const report =
      'at' in window
        ? yield* answered(lcm, { conversationId, at: window.at }, asked.questions, told, signal)
        : yield* answeredOnTrial(lcm, { conversationId, tried: window.after }, asked.questions, told, open, signal)
    const notes = reports.length === 0 ? [...asked.notes, ...report.notes] : report.notes
    reports.push({ name, report: { ...report, notes } })
  }
  return { asked: { ...input, isGiven: questions !== undefined }, reports }
}

const NOW: Moment = { now: true }

/** How far a probe of several windows is. */
type Told = { readonly done: number; readonly total: number; readonly name: string }

async function* answered(
  { prober }: Lcm,
  of: { readonly conversationId: number; readonly at?: Moment },
  questions: readonly Question[],
  { done, total, name }: Told,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ProbeReport> {
  const answers = prober.answers(of, questions, signal)
  for (;;) {
    const step = await answers.next()
    if (step.done) return step.value
    yield { done: done + step.value, total, unit: 'steps', note: name }
  }
}

async function* answeredOnTrial(
  lcm: Lcm,
  { conversationId, tried }: { readonly conversationId: number; readonly tried: Tried },
  questions: readonly Question[],
  told: Told,
  open: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ProbeReport> {
  const { copyMemory } = await import('../doctor/working-copy/copy-memory.ts')
  const { presetSettings } = await import('../systems/presets.ts')
  const settings = tried.preset === undefined ? {} : presetSettings(tried.preset)
  const folder = mkdtempSync(join(tmpdir(), 'lcm-probe-'))
  const progress = (note: string): JobProgress => ({ done: told.done, total: told.total, unit: 'steps', note })
  try {
    const to = join(folder, 'lcm.db')
    yield* renamed(copyMemory({ from: lcm, to }, signal), () => progress('copying the memory'))
    const copy = await openLcm(to, { ...open, settings: lcm.settings })
    try {
      const run = copy.compactionEngine().compact({ ...compactionOf(conversationId, tried), settings }, signal)
      yield* renamed(run, () => progress(`compacting a copy: ${told.name}`))
      // A compaction that is cancelled ends like any other, with what it did until then.
      if (signal.aborted) throw new LcmError('cancelled', CANCELLED)
      return yield* answered(copy, { conversationId }, questions, told, signal)
    } finally {
      copy.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs other work to its end and reports each of its steps as a step of this one. */
async function* renamed<Step, Result>(
  work: AsyncGenerator<Step, Result>,
  progress: () => JobProgress,
): AsyncGenerator<JobProgress, Result> {
  for (;;) {
    const step = await work.next()
    if (step.done) return step.value
    yield progress()
  }
}

const compactionOf = (conversationId: number, { summarizer }: Tried): CompactInput =>
  CompactInput.parse({ conversationId, summarizer })

function windowName(window: ProbeWindow): string {
  if ('at' in window) return momentName(window.at)
  const { preset, summarizer } = window.after
  const parts = [
    ...(preset === undefined ? [] : [`with ${preset}`]),
    ...(summarizer === undefined ? [] : [`by ${summarizer}`]),
  ]
  return parts.length === 0 ? 'after a compaction' : `after one ${parts.join(' ')}`
}

function momentName(moment: Moment): string {
  if ('now' in moment) return 'now'
  if ('messageId' in moment) return `at ${moment.messageId}`
  if ('runId' in moment) return `after ${moment.runId}`
  return 'eventId' in moment ? `after event ${moment.eventId}` : `at ${isoTime(moment.atMs)}`
}

/** Facts about the memory for the head of a report. */
export function reportHead({ info, clock, stats }: Lcm, conversationId: number): ReportHead {
  const row = stats.conversation(conversationId)
  const title = cutText(singleLine(row?.title ?? row?.sessionId ?? ''), 120)
  return { file: info.fileName, conversation: `Conversation ${conversationId} (${title})`, madeAtMs: clock() }
}

/**
 * Writes what a job found.
 * @throws LcmError not_found when there is no such job, or it found nothing yet
 */
export function probeDocument(lcm: Lcm, jobs: readonly Job[], { jobId, format }: ProbeDocumentInput): ProbeDocument {
  const found = jobs.find((job) => job.jobId === jobId)?.result
  if (found?.kind !== 'probe')
    throw new LcmError('not_found', `${jobId} is no probe that has ended: run the probe again and export it then.`)
  const { asked, reports } = found.value
  const head = reportHead(lcm, asked.conversationId)
  const name = `probe-${lcm.info.fileName.replace(/\.[^.]*$/, '')}-${asked.conversationId}`
  return format === 'markdown'
    ? { fileName: `${name}.md`, mediaType: 'text/markdown', text: toMarkdownReport(head, reports) }
    : { fileName: `${name}.html`, mediaType: 'text/html', text: toHtmlReport(head, reports) }
}

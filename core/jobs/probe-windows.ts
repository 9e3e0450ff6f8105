import { isoTime } from '../clock.ts'
import type { Job, JobProgress } from '../contract/job.ts'
import type {
  NamedProbe,
  ProbeDocument,
  ProbeDocumentInput,
  ProbeJobInput,
  ProbeOutcome,
  ProbeReport,
  ProbeWindow,
  TriedCompaction,
} from '../contract/probe.ts'
import type { Moment } from '../contract/time-travel.ts'
import { LcmError } from '../errors.ts'
import type { Lcm, OpenLcmOptions } from '../lcm.ts'
import { logEvent, memoryKey } from '../log.ts'
import { cutText, singleLine } from '../text.ts'
import { CANCELLED } from '../trace/probe/asked-questions.ts'
import type { Question } from '../trace/probe/made-questions.ts'
import { type ReportHead, toHtmlReport, toMarkdownReport } from '../trace/probe/probe-report.ts'
import { compactionOf, trialName, tryCompaction } from './tried-compaction.ts'

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
  const { limit, fromMessage, toMessage } = input
  const asked = await lcm.prober.ask({ conversationId, at, limit, questions, fromMessage, toMessage }, signal)
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
  if (isComparable({ questions, ...input })) logProbe(lcm, reports[0]?.report)
  return { asked: { ...input, isGiven: questions !== undefined }, reports }
}

const NOW: Moment = { now: true }

/** Only probes of the same kind are kept over time: the window of now, asked what was made from the whole conversation. */
const isComparable = ({ questions, at = NOW, fromMessage, toMessage }: ProbeJobInput): boolean =>
  questions === undefined && 'now' in at && fromMessage === undefined && toMessage === undefined

function logProbe({ info }: Lcm, report: ProbeReport | undefined): void {
  if (report === undefined || report.recall === null) return
  logEvent('info', 'probe', 'probe.done', {
    memory: memoryKey(info.path),
    conversation_id: report.conversationId,
    questions: report.total.questions,
    recall: report.recall,
    duration_ms: report.tookMs,
  })
}

/** How far a probe of several windows is. */
type ProbeProgress = { readonly done: number; readonly total: number; readonly name: string }

async function* answered(
  { prober }: Lcm,
  of: { readonly conversationId: number; readonly at?: Moment },
  questions: readonly Question[],
  { done, total, name }: ProbeProgress,
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
  { conversationId, tried }: { readonly conversationId: number; readonly tried: TriedCompaction },
  questions: readonly Question[],
  told: ProbeProgress,
  open: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, ProbeReport> {
  const trial = tryCompaction(lcm, { conversationId, tried, name: told.name, whenCancelled: CANCELLED, open }, signal)
  const { lcm: copy, close } = yield* stepsOf(trial, told)
  try {
    return yield* answered(copy, { conversationId }, questions, told, signal)
  } finally {
    close()
  }
}

/** Reports the steps of other work, with how far the probe is. */
async function* stepsOf<Result>(
  work: AsyncGenerator<JobProgress, Result>,
  { done, total }: ProbeProgress,
): AsyncGenerator<JobProgress, Result> {
  for (;;) {
    const step = await work.next()
    if (step.done) return step.value
    yield { ...step.value, done, total }
  }
}

function windowName(window: ProbeWindow): string {
  if ('at' in window) return momentName(window.at)
  return trialName(window.after)
}

/** The name of a moment, for people. */
export function momentName(moment: Moment): string {
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

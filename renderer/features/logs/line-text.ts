import type { LineLevel, LogLine } from '#core/contract/activity.ts'
import { formatBytes, formatCompact, formatCount, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { stopReasonText } from '#renderer/ui/texts/job-text.ts'

/** What happened, in a few words of plain English. */
const TITLES: Readonly<Record<string, string>> = {
  'call.done': 'A call was answered',
  'call.slow': 'A call took long',
  'call.failed': 'A call failed',
  'command.started': 'A command began',
  'command.done': 'A command ended',
  'command.failed': 'A command failed',
  'tool.done': 'An agent asked',
  'tool.failed': 'An agent’s call failed',
  'memory.opened': 'A memory was opened',
  'memory.refused': 'A memory could not be opened',
  'search.done': 'A search was answered',
  'search.failed': 'A search failed',
  'expand.done': 'A summary was expanded',
  'expand.failed': 'An expansion failed',
  'run.started': 'A compaction began',
  'run.done': 'A compaction ended',
  'run.failed': 'A compaction failed',
  'node.made': 'A summary was written',
  'model.answered': 'A model answered',
  'model.failed': 'A model did not answer',
  'check.failed': 'A check found something',
  'scan.done': 'A check ended',
  'probe.done': 'A probe ended',
  'job.started': 'A job began',
  'job.done': 'A job ended',
  'job.failed': 'A job failed',
  'thread.started': 'A thread of this program began',
  'log.dropped': 'Too much happened at once',
}

export const lineTitle = ({ event }: LogLine): string => TITLES[event] ?? event

/** Shape and colour of each level; the shape tells them apart without colour. */
export const LEVEL_MARKS: Readonly<Record<LineLevel, { readonly mark: string; readonly name: string }>> = {
  error: { mark: '●', name: 'error' },
  warn: { mark: '◆', name: 'warning' },
  info: { mark: '○', name: 'info' },
  debug: { mark: '–', name: 'debug' },
}

type Parts = readonly (string | number | null | undefined | false)[]

/** The figures of a line, in the order in which they are of interest. */
export function lineText(line: LogLine): string {
  const { token_before: before, token_after: after } = line
  const tokens = before !== undefined && after !== undefined && `${formatCount(before)} → ${formatCount(after)}`
  const parts: Parts = [
    line.compaction_id !== undefined && line.summary_id === undefined && line.compaction_id,
    line.summary_id,
    line.trigger_reason !== undefined && line.summary_id === undefined && line.trigger_reason,
    line.kind,
    tokens && `${tokens}${line.summary_id === undefined ? ' tokens' : ''}`,
    line.nodes !== undefined && plural(line.nodes, 'summary', 'summaries'),
    line.procedure,
    line.command !== undefined && `lcm ${line.command}`,
    line.tool,
    line.check,
    line.count !== undefined && plural(line.count, 'time'),
    line.hits !== undefined && plural(line.hits, 'hit'),
    line.mode?.replace('_', ' '),
    line.scope,
    line.errors !== undefined && `${plural(line.errors, 'error')}, ${plural(line.warnings ?? 0, 'warning')}`,
    line.questions !== undefined &&
      `${formatPercent(line.recall ?? 0)} of ${plural(line.questions, 'answer')} known or found`,
    line.messages !== undefined && plural(line.messages, 'message'),
    line.model,
    line.tokens_in !== undefined && line.model !== undefined && `${formatCompact(line.tokens_in)} in`,
    line.tokens_out !== undefined && line.model !== undefined && `${formatCompact(line.tokens_out)} out`,
    line.job_kind?.replace('_', ' '),
    line.role,
    line.system,
    line.access?.replace('_', ' '),
    line.bytes !== undefined && formatBytes(line.bytes),
    line.outcome !== undefined && stopReasonText(line.outcome),
    // A cancelled job has one word for how it ended and for what it was refused with.
    line.error_code !== line.outcome && line.error_code,
    line.exit_code !== undefined && line.exit_code > 0 && `exit code ${line.exit_code}`,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The fields as they stand in the log. */
export const fieldsText = (line: LogLine): string => JSON.stringify(line, null, 2)

/** `15:40:26.114`, local time. */
export function clockText(time: string): string {
  const date = new Date(time)
  const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`
}

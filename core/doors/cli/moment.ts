import { InvalidArgumentError } from 'commander'
import type { Moment } from '../../contract/time-travel.ts'
import { time } from './parse.ts'

/** `now`, `msg_12`, `run_ab12`, the number of a compaction event, or a time. A number is an event and never a year. */
export function moment(text: string): Moment {
  if (text === 'now') return { now: true }
  if (/^msg_\d{1,16}$/.test(text)) return { messageId: text }
  if (text.startsWith('run_')) return { runId: text }
  if (/^\d{1,15}$/.test(text)) return { eventId: Number(text) }
  try {
    return { atMs: time(text) }
  } catch {
    throw new InvalidArgumentError(
      'Expected now, a message (msg_12), a run (run_…), the number of a compaction event, or a time such as 2026-02-13T09:30:00Z.',
    )
  }
}

/** `FROM..TO`, both moments. */
export function twoMoments(text: string): { readonly from: Moment; readonly to: Moment } {
  const [from, to, ...rest] = text.split('..')
  if (!from || !to || rest.length > 0) {
    throw new InvalidArgumentError('Expected two moments with two dots between them, such as msg_12..now.')
  }
  return { from: moment(from), to: moment(to) }
}

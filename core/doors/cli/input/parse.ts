import { InvalidArgumentError } from 'commander'
import { isoToMs } from '#core/clock.ts'
import type { ProbeWindow } from '#core/contract/probe.ts'
import { PresetName } from '#core/contract/settings.ts'
import type { Moment } from '#core/contract/time-travel.ts'

/** Reads ISO 8601. A date or time without a zone is UTC. */
export function time(text: string): number {
  const value = isoToMs(text)
  if (value === null) throw new InvalidArgumentError('Expected a time such as 2026-02-13T09:30:00Z or 2026-02-13.')
  return value
}

/**
 * Accepts `now`, `msg_12`, `run_ab12`, the number of a compaction event, or a time. A number is an event and never a
 * year.
 */
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

/** Accepts a moment, or a compaction that is tried on a copy: `after`, `preset:NAME` or `summarizer:NAME`. */
export function windowOf(text: string): ProbeWindow {
  if (text === 'after') return { after: {} }
  const [, kind, name = ''] = /^(preset|summarizer):(.+)$/s.exec(text) ?? []
  if (kind === 'summarizer') return { after: { summarizer: name } }
  if (kind === undefined) return { at: moment(text) }
  const preset = PresetName.safeParse(name)
  if (preset.success) return { after: { preset: preset.data } }
  throw new InvalidArgumentError(`There is no preset "${name}": ${PresetName.options.join(', ')}.`)
}

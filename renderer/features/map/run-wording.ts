import type { MapRun, MapRuns, MapStep } from '#core/contract/map.ts'
import type { Tone } from '#renderer/ui/controls/chip.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'

const STATUS_TONES: Readonly<Record<MapRun['status'], Tone>> = {
  completed: 'fine',
  failed: 'error',
  cancelled: 'warning',
  running: 'lit',
  interrupted: 'warning',
  other: 'neutral',
}
export const statusTone = (status: MapRun['status']): Tone => STATUS_TONES[status]

const STATUS_HINTS: Readonly<Record<MapRun['status'], string>> = {
  completed: 'Every item has a result',
  failed: 'Some items have no valid result, or the run stopped',
  cancelled: 'It was cancelled; the same command goes on',
  running: 'A process works on it now',
  interrupted: 'It was cut off; the same command goes on',
  other: 'The record has a status that is not known here',
}
/** The meaning of a status. For a run of another program, only the recorded status is known. */
export const statusHint = ({ status, runId }: MapRun): string =>
  runId === null ? 'As the program says that recorded it' : STATUS_HINTS[status]

/** The operation, and what the caller of a delegation stayed responsible for. */
export function operatorText({ operator, retain }: MapRun): string {
  if (operator === null) return 'unknown operation'
  return retain === null ? `map ${operator}` : `map ${operator}, retained: ${retain}`
}

/** The figures of a run: `58 of 60 completed, 2 failed, 5 retries`. */
export function countsText({ items, completed, failed, retries }: MapRun): string {
  if (completed === null) return plural(items, 'item')
  const parts = [`${formatCount(completed)} of ${formatCount(items)} completed`]
  if (failed !== null && failed > 0) parts.push(`${formatCount(failed)} failed`)
  if (retries !== null && retries > 0) parts.push(plural(retries, 'retry', 'retries'))
  return parts.join(', ')
}

/** The figures of all runs. */
export function runsText({ runs, unreadable, isCut }: MapRuns): string {
  const failed = runs.filter(({ status }) => status === 'failed').length
  return [
    isCut ? 'the newest of more' : null,
    failed > 0 ? `${formatCount(failed)} failed` : null,
    unreadable > 0 ? `${plural(unreadable, 'line')} of the record cannot be read` : null,
  ]
    .filter((part) => part !== null)
    .join(' · ')
}

const STEP_TONES: Readonly<Record<MapStep['kind'], Tone>> = { completed: 'fine', failed: 'error', retry: 'warning' }
export const stepTone = (kind: MapStep['kind']): Tone => STEP_TONES[kind]

/** `first try`, `3 tries`; of a try that was followed by another one its number. */
export function triesText({ kind, attempts }: MapStep): string {
  if (kind === 'retry') return `try ${attempts}`
  return plural(attempts, 'try', 'tries')
}

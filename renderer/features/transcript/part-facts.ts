import type { PartDetails } from '../../../core/contract/message.ts'
import { formatCompact, plural } from '../../ui/format.ts'

/** What is known of a step of an answer, or of the state of the files: `step finish: stop, 1.2k in, 56 out`. */
export function markLabel(type: string, details: PartDetails = {}): string {
  const { stepReason, stepTokensIn, stepTokensOut, stepCost, snapshotHash } = details
  const facts = [
    stepReason,
    stepTokensIn === undefined ? undefined : `${formatCompact(stepTokensIn)} in`,
    stepTokensOut === undefined ? undefined : `${formatCompact(stepTokensOut)} out`,
    stepCost === undefined || stepCost === 0 ? undefined : `cost ${costText(stepCost)}`,
    snapshotHash === undefined ? undefined : `files at ${shortHash(snapshotHash)}`,
  ].filter((fact) => fact !== undefined)
  const label = type.replace('_', ' ')
  return facts.length === 0 ? label : `${label}: ${facts.join(', ')}`
}

/** Costs of steps are parts of a cent: three digits that say something. */
const costText = (cost: number): string => String(Number(cost.toPrecision(3)))

const shortHash = (hash: string): string => hash.slice(0, 12)

/** `patch 1234abcd, 2 files`, and the paths line by line. */
export function patchFacts({ patchHash, patchFiles }: PartDetails = {}): { label: string; files: string } {
  const files = patchFiles === undefined ? [] : pathsIn(patchFiles)
  const named = patchHash === undefined ? 'patch' : `patch ${shortHash(patchHash)}`
  return { label: files.length === 0 ? named : `${named}, ${plural(files.length, 'file')}`, files: files.join('\n') }
}

/** The paths of a JSON array; any other text as it is, because a system may write what it likes. */
function pathsIn(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list.map((path) => (typeof path === 'string' ? path : JSON.stringify(path)))
  } catch {
    // It was cut, or never was JSON.
  }
  return [text]
}

/** `subtask for explore: find the callers`. */
export function subtaskTitle({ subtaskAgent, subtaskDesc }: PartDetails = {}, otherwise: string): string {
  const named = subtaskAgent === undefined ? otherwise : `subtask for ${subtaskAgent}`
  return subtaskDesc === undefined ? named : `${named}: ${subtaskDesc}`
}

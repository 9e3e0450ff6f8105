import { ROLES } from '#core/contract/lists.ts'
import type { Finding, ScanContext } from './scanned-memory.ts'

/** Rules that a system may break by design. The list of all rules does not compile when one of them is missing there. */
export type ExceptedRule =
  | 'context_order'
  | 'coverage_gap'
  | 'cross_conversation_edge'
  | 'dangling_edge'
  | 'descendant_count'
  | 'double_coverage'
  | 'double_inclusion'
  | 'foreign_keys'
  | 'fresh_tail_compacted'
  | 'not_smaller_than_sources'
  | 'orphan_summary'
  | 'sequence_gap'
  | 'source_order'
  | 'tool_pair_split'

/** What a system does on purpose although it would be damage in a file of ours: a family of findings. */
export type KnownException = {
  readonly rule: ExceptedRule
  /** Why it is so, and what it means for the reader. */
  readonly why: (label: string) => string
  /** Whether this finding is of the family; absent: every one at a node with which nothing is wrong in the original. */
  readonly matches?: (context: ScanContext, finding: Finding) => boolean
}

export const isSummary = ({ memory }: ScanContext, { id }: Finding): boolean => memory.summaries.nodeOf(id ?? '') >= 0

const SYSTEM = ROLES.indexOf('system')

/** Whether all that begins later and stands before it in the window are deeper summaries, or the system's own message. */
export function isBehindDeeper({ memory }: ScanContext, { id, conversationId }: Finding): boolean {
  const { window, summaries, extents, messages } = memory
  const own = summaries.nodeOf(id ?? '')
  if (own < 0) return false
  for (let item = 0; item < window.length; item += 1) {
    if (window.conversations[item] !== conversationId) continue
    const target = window.targets[item] as number
    const isOther = window.isSummary[item] === 1
    if (isOther && target === own) return true
    if (target < 0) continue
    if (!isOther && messages.roles[target] === SYSTEM) continue
    const first = isOther ? (extents.first[target] as number) : target
    const isLater = first > (extents.first[own] as number)
    if (isLater && !(isOther && summaries.at(target).depth > summaries.at(own).depth)) return false
  }
  return false
}

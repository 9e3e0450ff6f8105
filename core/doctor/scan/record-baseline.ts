import type { MemoryInfo } from '#core/contract/memory.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { storeBaseline } from '#core/systems/opening/copied-from.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { lastSummaryRow } from '#core/systems/records/summaries.ts'
import type { KnownException } from '#core/systems/rules/known-exceptions.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { systemOf } from '#core/systems/systems.ts'
import { foreignKeys } from '../rules/database.ts'
import { danglingEdge } from '../rules/lineage.ts'
import { rules } from '../rules/rules.ts'
import { FindingKeys, type StoredBaseline } from './baseline.ts'
import { contextFor, storedBaseline } from './rule-context.ts'
import { scan, severityOf } from './scan.ts'

/**
 * Stores in a working copy, when all its rows are there, which findings it inherited by design: those that belong to a
 * known exception of its system, at nodes with which nothing is wrong in the original. A copy of a copy takes over the
 * baseline of its original.
 */
export function* recordBaseline(
  original: { readonly read: ReadDb; readonly info: MemoryInfo },
  copy: WriteDb,
): Generator<void> {
  const { read, info } = original
  const baseline = isNative(info) ? storedBaseline(read) : yield* newBaseline(original, copy)
  if (baseline === null) return
  const lastSummary = lastSummaryRow(copy)
  copy.transaction(() => storeBaseline(copy, JSON.stringify({ ...baseline, lastSummary } satisfies StoredBaseline)))
}

function* newBaseline(
  { read, info }: { readonly read: ReadDb; readonly info: MemoryInfo },
  copy: WriteDb,
): Generator<void, StoredBaseline | null> {
  const { system, systemLabel } = info
  const exceptions = systemOf(system).knownExceptions
  if (exceptions.length === 0) return null
  const faulty = yield* faultsOf(contextFor(read, info))
  const ours: RuleContext = contextFor(copy, { ...info, system: 'native', capabilities: NATIVE_CAPABILITIES })
  const keys = new FindingKeys()
  const known: { readonly rule: Rule; readonly key: string }[] = []
  let isLinkFault = false
  for (const hit of findings(ours, exceptions)) {
    if (hit === null) {
      yield
      continue
    }
    const { rule, exception, finding } = hit
    if (!faulty.has(finding.id) && exception.matches?.(ours, finding) !== false) {
      known.push({ rule, key: keys.next(rule, finding) })
    } else if (rule.id === danglingEdge.id) isLinkFault = true
  }
  // Broken references are by design only when no link is broken by a fault: both rules find the same rows.
  const kept = known.filter(({ rule }) => rule.id !== foreignKeys.id || !isLinkFault)
  return { system, systemLabel: systemLabel.slice(0, 100), lastSummary: 0, keys: kept.map(({ key }) => key).join('') }
}

type Hit = { readonly rule: Rule; readonly exception: KnownException; readonly finding: Finding }

/** Nodes with which something is wrong in the original, by its own rules. */
function* faultsOf(context: RuleContext): Generator<void, ReadonlySet<string | null>> {
  const ids = new Set<string | null>()
  const structural = rules.filter((rule) => rule.phase === 'structure' && severityOf(rule, context) !== 'info')
  for (const step of scan(context, structural)) {
    if (step?.kind === 'found') ids.add(step.finding.id)
    else yield
  }
  ids.delete(null)
  return ids
}

function* findings(context: RuleContext, exceptions: readonly KnownException[]): Generator<Hit | null> {
  const exceptionOf = ({ id }: Rule) => exceptions.find(({ rule }) => rule === id)
  for (const step of scan(context, rules.filter(exceptionOf))) {
    const exception = step?.kind === 'found' ? exceptionOf(step.rule) : undefined
    yield step?.kind === 'found' && exception ? { rule: step.rule, exception, finding: step.finding } : null
  }
}

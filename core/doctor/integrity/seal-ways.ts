import { systemClock } from '../../clock.ts'
import type { MemoryInfo } from '../../contract/memory.ts'
import { createTokenEstimator } from '../../models/token-estimator.ts'
import { readSettings } from '../../settings/settings.ts'
import type { ReadDb, WriteDb } from '../../sqlite/read-db.ts'
import { storeWays } from '../../systems/copied-from.ts'
import type { KnownException } from '../../systems/known-exceptions.ts'
import { NATIVE_CAPABILITIES } from '../../systems/open-memory.ts'
import { systemOf } from '../../systems/systems.ts'
import type { Finding, RuleContext } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { contextOf, sealOf } from './context-of.ts'
import { FindingKeys, type Seal } from './inherited.ts'
import { scan, severityOf } from './scan.ts'

const queries = { lastSummary: /* sql */ `SELECT coalesce(max(summary_rowid), 0) FROM summaries` }

/** The rows that refer to what was taken away: no more is missing than the links say. */
const REFERENCES = 'foreign_keys'
const LINKS = 'dangling_edge'

/**
 * Notes in a working copy, when all its rows are there, which findings are by design of its system: those of a family of
 * `knownExceptions`, at nodes with which nothing is wrong in the original. A copy of a copy notes what its original has noted.
 */
export function* sealWays(
  original: { readonly read: ReadDb; readonly info: MemoryInfo },
  copy: WriteDb,
): Generator<void> {
  const { read, info } = original
  const seal = info.system === 'native' ? sealOf(read) : yield* newSeal(original, copy)
  if (seal === null) return
  const lastSummary = copy.value<number>(queries.lastSummary) ?? 0
  copy.transaction(() => storeWays(copy, JSON.stringify({ ...seal, lastSummary } satisfies Seal)))
}

function* newSeal(
  { read, info }: { readonly read: ReadDb; readonly info: MemoryInfo },
  copy: WriteDb,
): Generator<void, Seal | null> {
  const { system, systemLabel } = info
  const ways = systemOf(system).knownExceptions
  if (ways.length === 0) return null
  const faulty = yield* faultsOf(contextFor(read, info))
  const ours: RuleContext = contextFor(copy, { ...info, system: 'native', capabilities: NATIVE_CAPABILITIES })
  const keys = new FindingKeys()
  const known: { readonly check: string; readonly key: string }[] = []
  let isLinkFault = false
  for (const hit of findings(ours, ways)) {
    if (hit === null) {
      yield
      continue
    }
    const { way, finding } = hit
    if (!faulty.has(finding.id) && way.isSo?.(ours, finding) !== false) {
      known.push({ check: way.check, key: keys.next(way.check, finding) })
    } else if (way.check === LINKS) isLinkFault = true
  }
  const sealed = known.filter(({ check }) => check !== REFERENCES || !isLinkFault)
  return { system, systemLabel: systemLabel.slice(0, 100), lastSummary: 0, keys: sealed.map(({ key }) => key).join('') }
}

type Hit = { readonly way: KnownException; readonly finding: Finding }

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

function* findings(context: RuleContext, ways: readonly KnownException[]): Generator<Hit | null> {
  const asked = rules.filter(({ id }) => ways.some((way) => way.check === id))
  for (const step of scan(context, asked)) {
    const way = step?.kind === 'found' ? ways.find(({ check }) => check === step.rule.id) : undefined
    yield step?.kind === 'found' && way ? { way, finding: step.finding } : null
  }
}

function contextFor(db: ReadDb, info: MemoryInfo): RuleContext {
  const { compaction: settings } = readSettings({})
  return contextOf({ db, info, settings, estimator: createTokenEstimator(), clock: systemClock })
}

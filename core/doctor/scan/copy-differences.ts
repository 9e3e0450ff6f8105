import { z } from 'zod'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { readCopyDifferences, storeCopyDifferences } from '#core/systems/opening/copied-from.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import type { RuleContext } from '#core/systems/rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { contextFor } from './rule-context.ts'
import { scan, severityOf } from './scan.ts'

const StoredDifferences = z.object({
  /** Ids of checks that found something in the original and nothing in the copy. */
  settled: z.array(z.string().max(60)).max(200),
  /** Ids of checks that found something in the copy and nothing in the original. */
  brought: z.array(z.string().max(60)).max(200),
})
type CopyDifferences = z.infer<typeof StoredDifferences>

/**
 * Stores in a working copy which checks have another result than in the original, because the original is not at hand
 * later. Both use the same large files, so the checks of these are left out.
 */
export function* recordDifferences(
  original: { readonly read: ReadDb; readonly info: MemoryInfo },
  copy: WriteDb,
): Generator<void> {
  const { read, info } = original
  const theirs = yield* failing(contextFor(read, info))
  const ours = yield* failing(contextFor(copy, { ...info, system: 'native', capabilities: NATIVE_CAPABILITIES }))
  const differences: CopyDifferences = {
    settled: [...theirs.difference(ours)],
    brought: [...ours.difference(theirs)],
  }
  if (differences.settled.length + differences.brought.length === 0) return
  copy.transaction(() => storeCopyDifferences(copy, JSON.stringify(differences)))
}

/** Returns the ids of the checks that find an error or a warning. */
function* failing(context: RuleContext): Generator<void, ReadonlySet<string>> {
  const asked = rules.filter(
    (rule) =>
      rule.phase !== 'files' &&
      rule.isLeftOutOfCommit?.(context.info.bytes) !== true &&
      severityOf(rule, context) !== 'info',
  )
  const ids = new Set<string>()
  for (const step of scan(context, asked)) {
    if (step?.kind === 'found') {
      if (step.byDesign === null) ids.add(step.rule.id)
    } else yield
  }
  return ids
}

/** Returns what a working copy stores of `recordDifferences`, or null where it stores nothing legible. */
export const storedDifferences = (db: ReadDb): CopyDifferences | null =>
  StoredDifferences.safeParse(readCopyDifferences(db)).data ?? null

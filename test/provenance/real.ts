import { claimsOf } from '#core/provenance/claims.ts'
import { specificsOf } from '#core/provenance/specifics.ts'
import { runImport } from '../builders/import.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'
import { compact } from '../compaction/run-compaction.ts'
import type { Planted } from './measure.ts'
import { INVENTIONS } from './stories.ts'

/** Real sessions, imported and compacted with extracts of what was said. */
export async function compactedSessions(paths: readonly string[]): Promise<TestMemory> {
  const memory = buildMemory()
  await runImport(memory.db, paths)
  const conversations = memory.db.column<number>(
    'SELECT conversation_id FROM messages GROUP BY conversation_id HAVING count(*) > 100 ORDER BY count(*) DESC LIMIT 6',
  )
  for (const conversationId of conversations) await compact(memory.db, { conversationId })
  return memory
}

type Mutation = { readonly text: string; readonly into: string } | null

/**
 * Writes a twin of a summary, with the same sources, in which every third sentence is wrong: a number, path, identifier or
 * name is another, or a negation is put in or taken out; and a few sentences are added that nobody said.
 */
export function plantTwin(
  memory: TestMemory,
  summaryId: string,
  seed: number,
): { id: string; planted: Planted[] } | null {
  const random = new Random(seed)
  const row = memory.db.get<{ conversation: number; content: string }>(
    'SELECT conversation_id AS conversation, content FROM summaries WHERE summary_id = :id',
    { id: summaryId },
  )
  if (!row) return null
  const planted = claimsOf(row.content).flatMap((range, place): Planted[] => {
    const claim = row.content.slice(range.start, range.end)
    if (claim.includes('\n') || claim.length < 25 || !/\s/.test(claim)) return []
    const change = place % 3 === 1 ? changed(claim, random) : null
    if (change) return [{ claim: change.text, truth: 'changed', messageId: null, into: change.into }]
    const denied = place % 3 === 2 ? turned(claim) : null
    if (denied) return [{ claim: denied, truth: 'denied', messageId: null, into: null }]
    return [{ claim, truth: 'true', messageId: null, into: null }]
  })
  planted.push({ claim: random.pick(INVENTIONS), truth: 'invented', messageId: null, into: null })
  const sources = memory.db.column<number>(
    'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal',
    { id: summaryId },
  )
  if (sources.length === 0) return null
  // Only what is read again as the one sentence that it is.
  const plain = planted.filter(({ claim }) => {
    const [range, ...more] = claimsOf(claim)
    return range !== undefined && more.length === 0 && range.start === 0 && range.end === claim.length
  })
  const content = plain.map(({ claim }) => claim).join('\n')
  return { id: memory.leaf(row.conversation, sources, { content, inWindow: false }), planted: plain }
}

/** Changes one number, path, identifier, version or hash to a value that occurs nowhere. */
function changed(claim: string, random: Random): Mutation {
  const options = specificsOf(claim).filter(({ kind }) =>
    ['number', 'path', 'identifier', 'version', 'hash'].includes(kind),
  )
  if (options.length === 0) return null
  const one = random.pick(options)
  const into =
    one.kind === 'number' || one.kind === 'version'
      ? one.text.replace(/\d+$/, String(random.int(61_000, 98_000)))
      : one.kind === 'hash'
        ? `${one.text.slice(0, -4)}0d1f`
        : one.text.replace(/[A-Z]?[a-z]{3,}/, (word) => (/^[A-Z]/.test(word) ? 'Quarz' : 'quarz'))
  if (into === one.text) return null
  return { text: claim.slice(0, one.start) + into + claim.slice(one.end), into }
}

/** A sentence with "not" put in or taken out; null where there is no plain place for it. */
function turned(claim: string): string | null {
  if (/\b(?:not|no|never|without|n't|cannot|nothing)\b|n[’']t\b/i.test(claim)) return null
  const match = /\b(is|are|was|were|should|must|will|can|has|have)\b(?= [a-z]+)/.exec(claim)
  return match ? `${claim.slice(0, match.index)}${match[1]} not${claim.slice(match.index + match[0].length)}` : null
}

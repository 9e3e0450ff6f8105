import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import type { CopyReport } from '#core/contract/working-copy.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'

/**
 * Without an index every question reads the whole file. Of a large one only as many questions are asked as read so much
 * together, which takes some ten seconds, and one in any case. The same file is always asked the same questions.
 */
const MOST_BYTES = 1024 ** 3
const HITS = 50
/** A word is searched for in this many characters of a text. */
const LOOK_CHARS = 4000

const queries = {
  bytes: /* sql */ `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`,
  count: (table: 'messages' | 'summaries') => /* sql */ `SELECT count(*) FROM ${table}`,
  message: /* sql */ `SELECT substr(content, 1, ${LOOK_CHARS}) FROM messages ORDER BY message_id LIMIT 1 OFFSET CAST(:at AS INTEGER)`,
  summary: /* sql */ `SELECT substr(content, 1, ${LOOK_CHARS}) FROM summaries ORDER BY summary_id LIMIT 1 OFFSET CAST(:at AS INTEGER)`,
}

type Question = Pick<CopyReport['searches'][number], 'query' | 'mode'>
type Search = {
  readonly original: ReadDb
  readonly info: MemoryInfo
  readonly copy: ReadDb
  /** True when nothing was changed or left out, so that every hit has to be the same. */
  readonly isWhole: boolean
  readonly mostBytes?: number
}

/**
 * Searches both files for words that occur in the memory, and expects the same hits.
 * @throws LcmError sqlite_failed, cancelled
 */
export async function* compareSearches(
  { original, info, copy, isWhole, mostBytes = MOST_BYTES }: Search,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CopyReport['searches']> {
  const searches: CopyReport['searches'][number][] = []
  const before = new RetrievalEngine(original, info.capabilities, new MemoryReader(original))
  const after = new RetrievalEngine(copy, NATIVE_CAPABILITIES, new MemoryReader(copy))
  const bytes = Math.max(1, original.value<number>(queries.bytes) ?? 0)
  const questions = questionsFrom(original).slice(0, Math.max(1, Math.floor(mostBytes / bytes)))
  for (const question of questions) {
    // This is the last part of the work and takes nearly no time.
    yield { done: 1, total: 1, unit: 'messages', note: 'comparing searches' }
    const input = GrepInput.parse({ ...question, match: 'all', sort: 'oldest', limit: HITS, exactTotal: true })
    const [one, other] = [await before.grep(input, signal), await after.grep(input, signal)]
    if (signal.aborted) throw new LcmError('cancelled', 'Comparing was cancelled; no copy was made.')
    const ids = (found: typeof one): string => JSON.stringify(found.hits.map((hit) => hit.id).sort())
    const isCut = one.total > HITS
    if (isWhole && (one.total !== other.total || (!isCut && ids(one) !== ids(other)))) {
      throw new LcmError(
        'sqlite_failed',
        `The copy does not answer a search as its original does (${one.total} and ${other.total} hits) and was not kept. The original is untouched.`,
        { query: question.query, mode: question.mode },
      )
    }
    searches.push({ ...question, hits: other.total })
  }
  return searches
}

/** Returns words from all parts of the memory, for each mode of searching. */
function questionsFrom(db: ReadDb): Question[] {
  const wordAt = (sql: string, table: 'messages' | 'summaries', share: number): string | null => {
    const rows = db.value<number>(queries.count(table)) ?? 0
    const text = db.value<string>(sql, { at: Math.min(rows - 1, Math.floor(rows * share)) })
    return text?.match(/[A-Za-z]{5,20}/g)?.reduce((a, b) => (b.length > a.length ? b : a)) ?? null
  }
  const found: readonly (readonly [Question['mode'], string | null])[] = [
    ['full_text', wordAt(queries.message, 'messages', 0.2)],
    ['literal', wordAt(queries.message, 'messages', 0.5)],
    ['full_text', wordAt(queries.summary, 'summaries', 0.5)],
    ['regex', wordAt(queries.message, 'messages', 0.8)?.replace(/.$/, '\\w') ?? null],
    ['full_text', wordAt(queries.message, 'messages', 0.99)],
  ]
  return found.flatMap(([mode, query]) => (query === null ? [] : [{ mode, query }]))
}

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { loadSettings } from '#core/settings/settings-store.ts'
import { runToEnd } from '#core/yielding.ts'

/*
 * How much of what a question asks for is found among the first hits. `npm run recall -- SET.jsonl --db FILE` reads a
 * question a line. With `--embeddings PROVIDER` it asks again with vectors of that provider, which are made first. Sets stay outside of the project, because they quote other people's conversations.
 */

const Question = z.object({
  /** The conversation in which to look, or null for the whole file. */
  conversation: z.int().nullable().default(null),
  question: z.string(),
  /** Ids of the messages that answer it. A list stands for messages of which any one answers it. */
  evidence: z.array(z.union([z.string(), z.array(z.string()).min(1)])).min(1),
  category: z.string().default('all'),
})
export type Question = z.infer<typeof Question>

/** Returns the ids of the best hits, the best first. */
export type Ranking = (lcm: Lcm, question: Question, limit: number) => Promise<readonly string[]>

const queries = {
  bestByWords: /* sql */ `
    SELECT 'msg_' || message_id
    FROM messages_fts
    JOIN messages ON message_id = messages_fts.rowid
    WHERE messages_fts MATCH :match AND (:conversation IS NULL OR conversation_id = :conversation)
    ORDER BY bm25(messages_fts)
    LIMIT CAST(:limit AS INTEGER)`,
}

/** What a search with these options finds. */
const searched =
  (options: Omit<GrepRequest, 'query'>): Ranking =>
  async (lcm, { question, conversation }, limit) => {
    const conversationIds = conversation === null ? undefined : [conversation]
    const input = GrepInput.parse({ query: question, scope: 'messages', conversationIds, limit, ...options })
    return (await lcm.retrieval.grep(input)).hits.map(({ id }) => id)
  }

/** SQLite's own ranking of rows that hold any word of the question. */
const bareFts5: Ranking = async (lcm, { question, conversation }, limit) => {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) return []
  const match = words.map((word) => `"${word}"`).join(' OR ')
  return lcm.read.column<string>(queries.bestByWords, { match, conversation, limit })
}

/** With vectors, when the memory was opened with a model for them. */
export const QUESTION = searched({ match: 'question' })

export const RANKINGS: Readonly<Record<string, Ranking>> = { 'bare FTS5': bareFts5, question: QUESTION }

/** Returns the share of the evidence that is among the hits. */
export function recallOf({ evidence }: Question, hits: readonly string[]): number {
  const found = evidence.filter((one) => [one].flat().some((id) => hits.includes(id)))
  return found.length / evidence.length
}

export const readQuestions = (text: string): Question[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Question.parse(JSON.parse(line)))

export type Score = {
  readonly category: string
  readonly questions: number
  readonly at5: number
  readonly at10: number
}

/** Returns the mean recall among the first 5 and 10 hits, for each category and for all. */
export async function scoresOf(lcm: Lcm, questions: readonly Question[], ranking: Ranking): Promise<Score[]> {
  const asked: { readonly category: string; readonly at5: number; readonly at10: number }[] = []
  for (const question of questions) {
    const hits = await ranking(lcm, question, 10)
    const [at5, at10] = [recallOf(question, hits.slice(0, 5)), recallOf(question, hits.slice(0, 10))]
    asked.push({ category: question.category, at5, at10 })
  }
  const mean = (category: string, some: typeof asked): Score => {
    const sum = (field: 'at5' | 'at10'): number => some.reduce((all, one) => all + one[field], 0) / some.length
    return { category, questions: some.length, at5: sum('at5'), at10: sum('at10') }
  }
  const byCategory = [...Map.groupBy(asked, ({ category }) => category)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [...byCategory.map(([category, some]) => mean(category, some)), mean('together', asked)]
}

/** The scores as lines of a table. */
export function tableOf(name: string, scores: readonly Score[]): string {
  const rows = scores.map(({ category, questions, at5, at10 }) => [
    ...[category, String(questions), at5.toFixed(3), at10.toFixed(3)],
  ])
  const table = [[name, 'questions', 'R@5', 'R@10'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Makes the vectors of a memory that are missing, and says how many it has. */
async function makeVectors(lcm: Lcm): Promise<string> {
  const { outcome, texts, totalTexts } = await runToEnd(lcm.meaning.make({}, new AbortController().signal))
  return `${texts} of ${totalTexts} texts have vectors (${outcome})`
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { db: { type: 'string' }, embeddings: { type: 'string' } },
  })
  const [set] = positionals
  if (set === undefined || values.db === undefined)
    throw new Error('Give a set of questions and a memory: SET.jsonl --db FILE [--embeddings PROVIDER].')
  const questions = readQuestions(readFileSync(set, 'utf8'))
  const lcm = await openLcm(values.db, { readOnly: true })
  for (const [name, ranking] of Object.entries(RANKINGS)) {
    console.log(`${tableOf(name, await scoresOf(lcm, questions, ranking))}\n`)
  }
  lcm.close()
  if (values.embeddings !== undefined) {
    const settings = loadSettings({ ...process.env, LCM_EMBEDDINGS: values.embeddings })
    using withVectors = await openLcm(values.db, { readOnly: true, settings })
    console.log(await makeVectors(withVectors))
    const name = `question, ${values.embeddings}`
    console.log(tableOf(name, await scoresOf(withVectors, questions, QUESTION)))
  }
}

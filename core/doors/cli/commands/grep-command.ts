import { z } from 'zod'
import { GrepHit, GrepInput, GrepResult } from '#core/contract/retrieval.ts'
import { FactState } from '#core/contract/trace.ts'
import { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { plural } from '#core/text.ts'
import { hitsInState } from '#core/trace/hits-in-state.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import type { Answer } from '../output/output.ts'
import { count, oneLine } from '../output/text.ts'
import { chooseConversation, withMemory } from '../session.ts'

/** The command counts every hit. */
const fields = GrepInput.omit({ exactTotal: true }).extend({
  groupBy: z
    .enum(['covering'])
    .optional()
    .meta({ description: 'group the hits by the summary that covers them', value: 'group' }),
  states: z
    .array(FactState)
    .min(1)
    .optional()
    .describe('only hits of which this became in the window; each hit says it'),
  full: z.boolean().optional().describe('whole texts instead of snippets'),
  index: z
    .boolean()
    .optional()
    .describe('first make the search index of a file that has none; later searches use it, too'),
})

export const grep = defineCommand({
  name: 'grep',
  example: 'grep "retry limit" --db sample.db --role user --limit 5',
  memory: 'reads',
  fields,
  positional: ['query'],
  prints: GrepResult.extend({ hits: z.array(GrepHit.extend({ state: FactState.optional() })) }),
  first: ({ scope, states }) => {
    if (scope === 'files' && states)
      throw new LcmError(
        'invalid_argument',
        'A large file has no state in the window: leave out --state or --scope files.',
      )
  },
  run: (input, given) => withMemory(given, (lcm) => search(lcm, input), { readOnly: true }),
})

async function search(lcm: Lcm, { groupBy, full, index, states, ...asked }: z.output<typeof fields>): Promise<Answer> {
  for (const id of asked.conversationIds ?? []) chooseConversation(lcm, id)
  const input = { ...asked, exactTotal: true }
  if (index) await makeIndex(lcm)
  const result = await interruptible<StatedResult>((signal) =>
    states ? inState(lcm, input, states, signal) : lcm.retrieval.grep(input, signal),
  )
  const hits = full
    ? await Promise.all(result.hits.map(async (hit) => ({ ...hit, content: await wholeText(lcm, hit) })))
    : result.hits
  const groups = groupBy ? { groups: groupByCovering(hits) } : {}
  const text = (): string =>
    [
      ...hits.map((hit) => {
        const where = [
          hit.role ?? hit.kind,
          hit.line === undefined ? null : `line ${count(hit.line)}`,
          hit.state ?? null,
          hit.inContext ? 'in the window' : null,
          hit.isPruned ? 'pruned by its agent' : null,
          hit.isPartial && hit.words
            ? hit.words.length > 0
              ? `only ${hit.words.join(', ')}`
              : 'by what it says'
            : null,
          hit.coverInWindow !== null
            ? `${hit.isSeenInCover ? 'seen in' : 'covered by'} ${hit.coverInWindow}`
            : hit.coveredBy.length > 0
              ? `under ${hit.coveredBy[0]}, which is not in the window`
              : null,
        ].filter((word) => word !== null)
        const shown = 'content' in hit ? hit.content : `    ${oneLine(hit.snippet, 200)}`
        const why = hit.ranking ? `\n    ${whyHere(hit.ranking)}` : ''
        return `${hit.id}  ${where.join(' · ')}${why}\n${shown}`
      }),
      ...result.notes.map((note) => `note: ${note}`),
      `${result.totalIsExact ? '' : 'at least '}${plural(result.total, 'hit')}, ${count(hits.length)} shown${result.nextCursor ? `; go on with --cursor ${result.nextCursor}` : ''}`,
    ].join('\n')
  return { json: { ...result, hits, ...groups }, text }
}

type StatedResult = Omit<GrepResult, 'hits'> & { readonly hits: readonly (GrepHit & { readonly state?: FactState })[] }

function inState(
  { factStates, retrieval }: Lcm,
  input: GrepInput,
  states: readonly FactState[],
  signal: AbortSignal,
): Promise<StatedResult> {
  const search = retrieval.grep.bind(retrieval)
  return hitsInState({ states: factStates, search }, input, new Set(states), signal)
}

/** Says which summands a score has. */
function whyHere({ words, meaning, neighbours, summary, hasAll }: NonNullable<GrepHit['ranking']>): string {
  const summands = { words, ...(meaning !== undefined && { meaning }), neighbours, summary }
  const parts = Object.entries(summands).map(([name, part]) => `${name} ${part.toFixed(2)}`)
  return `score ${(words + (meaning ?? 0) + neighbours + summary).toFixed(2)} = ${parts.join(' + ')}${hasAll ? ', has all words' : ''}`
}

/** Builds the index that the search uses, unless there is one. */
async function makeIndex({ read, info, sideIndex }: Lcm): Promise<void> {
  if (!sideIndex) return
  const { updateIndex } = await import('#core/search/side-index/update-index.ts')
  await interruptible((signal) => updateIndex({ read, info, index: sideIndex }, signal))
}

/** Returns the line of a large file, or the whole text of anything else. */
async function wholeText(lcm: Lcm, { id, line }: GrepHit): Promise<string> {
  if (line === undefined) return lcm.retrieval.describe(id, Number.MAX_SAFE_INTEGER).content
  return await interruptible(async (signal) => {
    const { text } = await lcm.fileReader.read(id, { kind: 'lines', first: line }, signal)
    return text.replace(/\r?\n$/, '')
  })
}

/**
 * Groups hits by the summary in the window that covers them, or null for those in the window and those that nothing
 * covers.
 */
function groupByCovering<T extends { readonly coverInWindow: string | null }>(hits: readonly T[]) {
  const groups = Map.groupBy(hits, (hit) => hit.coverInWindow)
  return [...groups].map(([summaryId, members]) => ({ summaryId, hits: members }))
}

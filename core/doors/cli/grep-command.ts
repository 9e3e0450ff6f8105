import { type GrepHit, GrepInput } from '../../contract/retrieval.ts'
import type { Lcm } from '../../lcm.ts'
import { type Define, MAX_ID, type Run } from './command.ts'
import { interruptible, interruptibleCall } from './interruptible.ts'
import type { Answer } from './output.ts'
import { collect, integer, oneOf, time } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { count, oneLine } from './text.ts'

type GrepOptions = MemoryOptions & {
  readonly mode?: GrepInput['mode']
  readonly match?: GrepInput['match']
  readonly scope?: GrepInput['scope']
  readonly within?: string
  readonly groupBy?: 'covering'
  readonly conversation?: number[]
  readonly role?: GrepInput['roles']
  readonly depth?: number[]
  readonly after?: number
  readonly before?: number
  readonly sort?: GrepInput['sort']
  readonly limit?: number
  readonly cursor?: string
  readonly full?: boolean
  readonly index?: boolean
}

export function addGrepCommand(define: Define, run: Run): void {
  run(
    define('grep', 'find messages, summaries, and lines of large files')
      .argument('<query>', 'words, "phrases", prefix*, OR, NOT')
      .option('--mode <mode>', 'full_text, regex or literal', oneOf('full_text', 'regex', 'literal'))
      .option('--match <match>', 'auto, all or any of the words', oneOf('auto', 'all', 'any'))
      .option('--scope <scope>', 'messages, summaries, both or files', oneOf('messages', 'summaries', 'both', 'files'))
      .option('--within <summary>', 'only what this summary stands for')
      .option('--group-by <group>', 'group the hits by the summary that covers them', oneOf('covering'))
      .option('--conversation <id>', 'narrow to a conversation; may be repeated', collect(integer(0, MAX_ID)))
      .option(
        '--role <role>',
        'narrow to a role; may be repeated',
        collect(oneOf('system', 'user', 'assistant', 'tool')),
      )
      .option('--depth <n>', 'narrow to summaries of a depth; may be repeated', collect(integer(0, 1000)))
      .option('--after <time>', 'not before this time', time)
      .option('--before <time>', 'not after this time', time)
      .option('--sort <order>', 'newest, oldest or relevance', oneOf('newest', 'oldest', 'relevance'))
      .option('--limit <n>', 'hits a page', integer(1, 1000))
      .option('--cursor <cursor>', 'go on from an earlier answer')
      .option('--full', 'whole texts instead of snippets')
      .option('--index', 'first make the search index of a file that has none; later searches use it, too'),
    (query: string, options: GrepOptions): Promise<Answer> =>
      withMemory(options, (lcm) => grep(lcm, query, options), { readOnly: true }),
  )
}

async function grep(lcm: Lcm, query: string, options: GrepOptions): Promise<Answer> {
  for (const id of options.conversation ?? []) chooseConversation(lcm, id)
  const input = GrepInput.parse({
    query,
    mode: options.mode,
    match: options.match,
    scope: options.scope,
    within: options.within,
    conversationIds: options.conversation,
    roles: options.role,
    depths: options.depth,
    afterMs: options.after,
    beforeMs: options.before,
    sort: options.sort,
    limit: options.limit,
    cursor: options.cursor,
    exactTotal: true,
  })
  if (options.index) await makeIndex(lcm)
  const result = await interruptibleCall((signal) => lcm.retrieval.grep(input, signal))
  const hits = options.full
    ? await Promise.all(result.hits.map(async (hit) => ({ ...hit, content: await wholeText(lcm, hit) })))
    : result.hits
  const groups = options.groupBy ? { groups: groupByCovering(hits) } : {}
  const text = (): string =>
    [
      ...hits.map((hit) => {
        const where = [
          hit.role ?? hit.kind,
          hit.line === undefined ? null : `line ${count(hit.line)}`,
          hit.inContext ? 'in the window' : null,
          hit.isPruned ? 'pruned by its agent' : null,
          hit.coverInWindow !== null
            ? `${hit.isSeenInCover ? 'seen in' : 'covered by'} ${hit.coverInWindow}`
            : hit.coveredBy.length > 0
              ? `under ${hit.coveredBy[0]}, which is not in the window`
              : null,
        ].filter((word) => word !== null)
        const shown = 'content' in hit ? hit.content : `    ${oneLine(hit.snippet, 200)}`
        return `${hit.id}  ${where.join(' · ')}\n${shown}`
      }),
      ...result.notes.map((note) => `note: ${note}`),
      `${result.totalIsExact ? '' : 'at least '}${count(result.total)} hits, ${count(hits.length)} shown${result.nextCursor ? `; go on with --cursor ${result.nextCursor}` : ''}`,
    ].join('\n')
  return { json: { ...result, hits, ...groups }, text }
}

/** Builds the search index, unless the file is native or its index is up to date. */
async function makeIndex({ read, info, sideIndex }: Lcm): Promise<void> {
  if (!sideIndex) return
  const { updateIndex } = await import('../../search/side-index/update-index.ts')
  await interruptible((signal) => updateIndex({ read, info, index: sideIndex }, signal))
}

/** Returns the line of a large file, or the whole text of anything else. */
async function wholeText(lcm: Lcm, { id, line }: GrepHit): Promise<string> {
  if (line === undefined) return lcm.retrieval.describe(id, MAX_ID).content
  return await interruptibleCall(async (signal) => {
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

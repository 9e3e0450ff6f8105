import { ExpandQueryInput, type ExpandQueryResult, MOST_AGENT_TOKENS } from '../../contract/expand-query.ts'
import { conversationOption, type Define, type Run } from './command.ts'
import { interruptibleCall } from './interruptible.ts'
import type { Answer } from './output.ts'
import { collect, integer } from './parse.ts'
import { chooseConversation, type MemoryOptions, withMemory } from './session.ts'
import { count, oneLine } from './text.ts'

type ExpandQueryOptions = MemoryOptions & {
  readonly summary?: string[]
  readonly query?: string
  readonly conversation?: number
  readonly depth?: number
  readonly tokenCap?: number
  readonly summarizer?: string
}

/** Adds the command expand-query: a question that is answered from the sources of summaries. Ctrl-C stops it. */
export function addExpandQueryCommand(define: Define, run: Run): void {
  run(
    define('expand-query', 'answer a question from what stands beneath summaries, with the ids it rests on')
      .argument('<prompt>', 'the question')
      .option('--summary <id>', 'where to look; may be repeated (default: what a search finds)', collect(String))
      .option('--query <words>', 'what to search for in place of the question')
      .addOption(conversationOption())
      .option('--depth <n>', 'levels below those summaries that may be read', integer(1, 1000))
      .option(
        '--token-cap <n>',
        `tokens of the memory to read at most, up to ${MOST_AGENT_TOKENS}`,
        integer(1, MOST_AGENT_TOKENS),
      )
      .option(
        '--summarizer <name>',
        'deterministic (default: quotes the best passages), a configured provider, or chain',
      ),
    (prompt: string, options: ExpandQueryOptions): Promise<Answer> =>
      withMemory(
        options,
        async (lcm): Promise<Answer> => {
          if (options.conversation !== undefined) chooseConversation(lcm, options.conversation)
          const input = ExpandQueryInput.parse({
            prompt,
            summaryIds: options.summary,
            query: options.query,
            conversationId: options.conversation,
            depth: options.depth,
            tokenCap: options.tokenCap,
            summarizer: options.summarizer,
          })
          const result = await interruptibleCall((signal) => lcm.expandQuery.ask(input, signal))
          return { json: result, text: () => resultText(result) }
        },
        { readOnly: true },
      ),
  )
}

function resultText(result: ExpandQueryResult): string {
  const { answer, citations, provider, model, fallback, notes, grant, droppedIds } = result
  const by = provider === null ? 'best passages' : `${provider} (${model})`
  return [
    answer === '' ? 'Nothing was found.' : answer,
    '',
    ...(provider === null
      ? []
      : citations.map(
          ({ id, seq, excerpt }) => `${id}${seq === null ? '' : ` · seq ${seq}`}  ${oneLine(excerpt, 160)}`,
        )),
    ...(fallback === null ? [] : [`no model answered: ${fallback}`]),
    ...(droppedIds.length > 0 ? [`taken out, since not read: ${droppedIds.join(', ')}`] : []),
    ...notes.map((note) => `note: ${note}`),
    `${by} · ${count(result.tokensUsed)} of ${count(grant.tokenCap)} tokens · ${count(grant.calls)} reads${result.truncated ? ' · there was more' : ''}`,
  ].join('\n')
}

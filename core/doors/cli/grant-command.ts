import { InvalidArgumentError } from 'commander'
import type { Grant } from '../../contract/expand-query.ts'
import { LcmError } from '../../errors.ts'
import { type Define, MAX_ID, type Run } from './command.ts'
import type { Answer } from './output.ts'
import { collect, integer, oneOf } from './parse.ts'
import { type MemoryOptions, withMemory } from './session.ts'
import { count, table } from './text.ts'

type GrantOptions = MemoryOptions & {
  readonly conversation?: number[]
  readonly summary?: string[]
  readonly depth?: number
  readonly tokenCap?: number
  readonly calls?: number
  readonly expires?: number
  readonly under?: string
}

/** Adds the command grant: permissions for other programs to read a part of a memory. */
export function addGrantCommand(define: Define, run: Run): void {
  run(
    define('grant', 'let another program read a part of a memory: issue, list and revoke permissions')
      .argument('<action>', 'issue, list or revoke', oneOf('issue', 'list', 'revoke'))
      .argument('[id]', 'the grant to revoke')
      .option('--conversation <id>', 'issue: this conversation (repeatable)', collect(integer(0, MAX_ID)))
      .option(
        '--summary <id>',
        'issue: only this summary or message and what is below it (repeatable)',
        collect((id) => id),
      )
      .option('--depth <n>', 'issue: so many levels below (default: all)', integer(0, 1000))
      .option('--token-cap <n>', 'issue: tokens to read in all (default: 40,000)', integer(1, 100_000_000))
      .option('--calls <n>', 'issue: calls in all (default: 1,000)', integer(1, 1_000_000))
      .option('--expires <duration>', 'issue: for so long, such as 90s, 30m, 1h or 7d (default: 1h)', duration)
      .option('--under <id>', 'issue: never more than this grant allows, and no longer'),
    async (action: 'issue' | 'list' | 'revoke', id: string | undefined, options: GrantOptions): Promise<Answer> => {
      if ((action === 'revoke') !== (id !== undefined)) {
        const message = 'revoke takes the id of a grant, and nothing else does: "lcm grant list" shows the ids.'
        throw new LcmError('invalid_argument', message)
      }
      const grants = await withMemory(
        options,
        ({ grants: service }): Grant[] => {
          if (action === 'list') return service.list()
          if (action === 'revoke') return [service.revoke(id ?? '')]
          const { conversation, summary, depth, tokenCap, calls, expires, under } = options
          const asked = { conversationIds: conversation, rootIds: summary, depth, tokenCap, ttlMs: expires, under }
          return [service.issue({ ...asked, mostCalls: calls })]
        },
        { readOnly: true },
      )
      return { json: { grants: grants.map(shown) }, text: () => textOf(grants) }
    },
  )
}

/** Accepts a duration from a second to a year. */
function duration(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  const ms = Number(number) * ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN)
  if (ms >= 1_000 && ms <= 31_536_000_000) return ms
  throw new InvalidArgumentError('Expected a duration from 1s to 365d, such as 90s, 30m, 1h or 7d.')
}

/** What was read with it is told as a number: the ids would make a list of grants very long. */
const shown = ({ conversationIds, rootIds, depth, readIds, ...facts }: Grant) => ({
  ...facts,
  conversations: conversationIds,
  summaries: rootIds,
  maxDepth: depth,
  read: readIds.length,
})

function textOf(grants: readonly Grant[]): string {
  if (grants.length === 0) return 'No grants for this memory.'
  return table(
    ['grant', 'state', 'reads', 'levels', 'tokens used', 'of', 'calls', 'until'],
    grants.map(({ id, state, conversationIds, rootIds, depth, usedTokens, tokenCap, calls, expiresAtMs }) => [
      id,
      state,
      rootIds.length > 0 ? rootIds.join(' ') : `conversation ${conversationIds.join(', ')}`,
      depth >= 1000 ? 'all' : depth,
      usedTokens,
      count(tokenCap),
      calls,
      new Date(expiresAtMs).toISOString().slice(0, 19).replace('T', ' '),
    ]),
  )
}

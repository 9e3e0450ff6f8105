import { z } from 'zod'
import type { Grant } from '#core/contract/expand-query.ts'
import { GrantIssueInput } from '#core/contract/grants.ts'
import { LcmError } from '#core/errors.ts'
import { defineCommand } from '../command.ts'
import { count, table } from '../output/text.ts'
import { withMemory } from '../session.ts'

/** Accepts a duration from a second to a year. */
const Duration = z.string().transform((text, context): number => {
  const [, number, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  const ms = Number(number) * ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN)
  if (ms >= 1_000 && ms <= 31_536_000_000) return ms
  context.addIssue('Expected a duration from 1s to 365d, such as 90s, 30m, 1h or 7d.')
  return z.NEVER
})

const { conversationIds, rootIds, depth, tokenCap, mostCalls, under } = GrantIssueInput.shape

/** Permissions for other programs to read a part of a memory. */
export const grant = defineCommand({
  name: 'grant',
  example: 'grant issue --db sample.db --conversation 1 --expires 30m',
  memory: {
    instead:
      'copy a conversation into a file with "lcm pull" and issue grants for that, or give an agent the whole conversation with "lcm mcp --db postgres://… --conversation N".',
  },
  fields: z.object({
    action: z.enum(['issue', 'list', 'revoke']).meta({ description: 'what is done', value: 'action' }),
    id: z.string().optional().describe('the grant to revoke'),
    conversationIds,
    summaryIds: rootIds,
    ...{ depth, tokenCap },
    calls: mostCalls,
    expires: Duration.optional().meta({
      description: 'for so long, such as 90s, 30m, 1h or 7d (default: 1h)',
      value: 'duration',
    }),
    under,
  }),
  positional: ['action', 'id'],
  run: async ({ action, id, expires, calls, summaryIds, ...asked }, given) => {
    if ((action === 'revoke') !== (id !== undefined)) {
      const message = 'revoke takes the id of a grant, and nothing else does: "lcm grant list" shows the ids.'
      throw new LcmError('invalid_argument', message)
    }
    const grants = await withMemory(
      given,
      ({ grants: service }): Grant[] => {
        if (action === 'list') return service.list()
        if (action === 'revoke') return [service.revoke(id ?? '')]
        return [service.issue({ ...asked, rootIds: summaryIds, ttlMs: expires, mostCalls: calls })]
      },
      { readOnly: true },
    )
    return { json: { grants: grants.map(shown) }, text: () => textOf(grants) }
  },
})

/** The ids that were read with a grant are counted, because they would make a list of grants very long. */
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

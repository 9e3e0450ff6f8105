import { z } from 'zod'
import { RemoteGrepInput, RemoteHits } from '#core/contract/remote.ts'
import { requireTenant } from '#core/database-address.ts'
import { plural } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { oneLine } from '../output/text.ts'
import { addressField, tenantField, withReplica } from '../postgres-session.ts'

/** A search in all conversations of a tenant. */
export const find = defineCommand({
  name: 'find',
  example: 'find "retry limit" --address postgres://ada@db.example.com/lcm --tenant acme',
  fields: z.object({
    ...RemoteGrepInput.shape,
    address: addressField,
    tenant: tenantField,
  }),
  positional: ['query'],
  prints: RemoteHits,
  run: async ({ address, tenant, ...asked }) => {
    const found = await withReplica(address, (from, { tenant: named }) => {
      const of = requireTenant(tenant ?? named)
      return interruptible((signal) => from.search({ ...asked, tenant: of }, signal))
    })
    const text = (): string =>
      [
        ...found.hits.map((hit) => {
          const words = hit.words === undefined ? '' : `  has ${hit.words.join(', ')}`
          const where = hit.field === 'content' ? '' : `  in its ${hit.field.replace('_', ' ')}`
          return `${hit.conversationId}  ${oneLine(hit.id, 60)}  ${hit.role ?? hit.kind}${where}${words}\n    ${oneLine(hit.snippet, 200)}`
        }),
        ...found.notes.map((note) => `note: ${note}`),
        `${plural(found.hits.length, 'hit')} shown${found.nextCursor ? `; go on with --cursor ${found.nextCursor}` : ''}`,
      ].join('\n')
    return { json: found, text }
  },
})

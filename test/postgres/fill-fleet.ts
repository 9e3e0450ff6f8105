import { migratePostgres } from '#core/remote/postgres/migrate.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import type { RealServer } from './real-server.ts'

const TENANTS = ['acme', 'globex', 'initech']
const TITLES = ['Travel to the customer', 'Release of the billing service', 'Questions about contracts', null]

/** Stores four conversations of each of three tenants, one of them with an empty summary. */
export async function fillFleet(server: RealServer): Promise<void> {
  const db = await server.connect()
  await migratePostgres(db, 2)
  for (const [index, tenant] of TENANTS.entries()) {
    using memory = new TestMemory()
    for (const [number, title] of TITLES.entries()) {
      const conversation = memory.conversation({ sessionId: `session-${number}`, title })
      const ids = memory.messages(
        conversation,
        Array.from({ length: 20 + 40 * number * (index + 1) }, (_, at) => ({ tokens: 200 + at * (index + 1) })),
      )
      for (let from = 0; from + 10 <= ids.length / 2; from += 10) {
        const isEmpty = tenant === 'acme' && number === 1 && from === 0
        memory.leaf(conversation, ids.slice(from, from + 10), { content: isEmpty ? ' ' : 'What was decided then.' })
      }
    }
    await runToEnd(sendMemory({ from: memory.db, to: db, tenant }, new AbortController().signal))
  }
  await db.close()
}

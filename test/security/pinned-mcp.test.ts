import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import { createMcpServer } from '#core/doors/mcp/server.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { WRITERS } from '../builders/systems/every-writer.ts'
import { nativeWriter } from '../builders/systems/native.ts'
import { tellStory } from '../builders/systems/story.ts'
import { type SystemWriter, writeStory } from '../builders/systems/system.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

// Proves that an agent that was given one conversation learns no id of another by any field of any tool's answer, also
// where summaries reach from one conversation into the other.
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
const MINE = 1
/** Texts of the memory: whatever is said there was said in the conversation itself. */
const TEXTS = new Set(['content', 'snippet', 'excerpt', 'answer'])

let lcm: Lcm | undefined
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  lcm?.close()
  lcm = undefined
})

/** A memory whose summaries reach across conversations, in each system's own way. */
function entangled(writer: SystemWriter): string {
  const path = join(temporaryFolder(), writer.name === 'decapod' ? 'lcm.db' : 'memory.db')
  writeStory(
    writer,
    path,
    writer.tell(tellStory({ seed: 7, sessions: 3, turns: 6, leafMessages: 4, fanIn: 2, tail: 2 })),
  )
  const db = new Database(path)
  const tables = new Set(db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all())
  if (writer.name === 'decapod') {
    const of = db.prepare(`SELECT content_hash FROM originals_index WHERE session_id = ? ORDER BY rowid`).pluck()
    for (const [main, other] of [
      ['session-1', 'session-2'],
      ['session-2', 'session-1'],
    ]) {
      const hashes = [...of.all(main).slice(0, 3), ...of.all(other).slice(0, 1)]
      const text = `lease cursor ledger of ${main}`
      db.prepare(`INSERT INTO summaries VALUES (?, '1777880000Z', 'session', ?, ?, 8)`).run(
        sha256(`${hashes.join(',')}|${text}`),
        JSON.stringify(hashes),
        text,
      )
    }
  }
  for (const table of ['summary_messages', 'summary_parents', 'summary_sources']) {
    if (!tables.has(table)) continue
    // Every summary also rests on some of the sources of all others.
    const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
    const makers = [...new Set(rows.map((row) => row.summary_id))]
    for (const [i, maker] of makers.entries()) {
      for (const [j, row] of rows.entries()) {
        if ((i + j) % 3 !== 0 || row.summary_id === maker) continue
        const more = { ...row, summary_id: maker, ...('ordinal' in row && { ordinal: 900 + j }) }
        const names = Object.keys(more).filter((name) => name !== 'id')
        const marks = names.map((name) => `@${name}`).join(', ')
        db.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(more)
      }
    }
  }
  db.close()
  return path
}

type Ids = { readonly mine: string[]; readonly foreign: string[] }

function idsOf({ read }: Lcm): Ids {
  const rows = [
    ...read.all<{ id: string; conversation: number }>(
      `SELECT 'msg_' || message_id AS id, conversation_id AS conversation FROM messages
       UNION ALL SELECT external_id, conversation_id FROM messages WHERE external_id IS NOT NULL
       UNION ALL SELECT summary_id, conversation_id FROM summaries
       UNION ALL SELECT file_id, conversation_id FROM large_files`,
    ),
  ]
  const of = (isMine: boolean) => rows.filter((row) => (row.conversation === MINE) === isMine).map(({ id }) => id)
  return { mine: of(true), foreign: of(false) }
}

/** Every string of an answer that is no text of the memory. */
function stringsOf(value: unknown, key = ''): string[] {
  if (TEXTS.has(key)) return []
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => stringsOf(one, Array.isArray(value) ? key : name))
}

const accessTo = (pinned: number | null) =>
  pinned === null ? { kind: 'all' as const } : { kind: 'conversation' as const, conversationId: pinned }

async function serve(path: string, pinned: number | null): Promise<Client> {
  const opened = await openLcm(path, { readOnly: true })
  lcm = opened
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer(new Tools(async () => opened, accessTo(pinned)), { version: '0' }).connect(theirs)
  client = new Client({ name: 'test', version: '0' })
  await client.connect(mine)
  return client
}

describe.each([nativeWriter, ...WRITERS].map((writer) => [writer.name, writer] as const))(
  'a server of %s',
  (_name, writer) => {
    it('names nothing of other conversations when it is pinned to one (property)', async () => {
      const path = entangled(writer)
      const server = await serve(path, MINE)
      if (!lcm) throw new Error('nothing is open')
      const { mine, foreign } = idsOf(lcm)
      expect(Math.min(mine.length, foreign.length)).toBeGreaterThan(5)
      const forbidden = new Set(foreign)
      const call = async (name: string, input: Record<string, unknown>) => {
        const answer = await server.callTool({ name, arguments: input })
        const said = stringsOf(answer.structuredContent)
        // What the caller named itself may come back in a refusal.
        const named = new Set(stringsOf(input))
        const words = said.flatMap((text) => [text, ...text.split(/[^\w-]+/)])
        expect(
          words.filter((word) => forbidden.has(word) && !named.has(word)),
          `${name} ${JSON.stringify(input)}`,
        ).toEqual([])
        expect(JSON.stringify(answer)).not.toContain(path)
      }
      const word = fc.constantFrom('lease', 'cursor', 'ledger', 'billing', 'careful', 'of')
      const id = fc.oneof(fc.constantFrom(...mine), fc.constantFrom(...foreign), fc.constant('sum_0123456789abcdef'))
      for (const one of mine) await call('lcm_describe', { id: one })
      await fc.assert(
        fc.asyncProperty(word, id, fc.array(id, { maxLength: 3 }), fc.boolean(), async (query, one, some, yes) => {
          await call('lcm_grep', { query, limit: 50, ...(yes && { within: one }) })
          await call('lcm_describe', { id: one })
          await call('lcm_expand', { summaryId: one, depth: 5, includeMessages: yes, tokenCap: 8000 })
          await call('lcm_expand_query', { prompt: query, ...(yes && some.length > 0 && { summaryIds: some }) })
        }),
        { numRuns: 25 },
      )
    })
  },
)

it('an error tells an agent no path of this machine', async () => {
  const path = entangled(nativeWriter)
  for (const pinned of [MINE, null]) {
    const server = await serve(path, pinned)
    for (const [name, input] of [
      ['lcm_describe', { id: 'sum_0123456789abcdef' }],
      ['lcm_expand', { summaryId: 'sum_0123456789abcdef' }],
      ['lcm_expand_query', { prompt: 'x', summaryIds: ['sum_0123456789abcdef'] }],
      ['lcm_grep', { query: 'x', within: 'sum_0123456789abcdef' }],
    ] as const) {
      const answer = await server.callTool({ name, arguments: input })
      expect(answer.isError).toBe(true)
      // Whether something exists elsewhere is nothing that a pinned server tells.
      expect(JSON.stringify(answer)).toContain(pinned === null ? 'not_found' : 'grant_scope')
      expect(JSON.stringify(answer)).not.toMatch(/memory\.db|\/tmp|lcm-test/)
    }
    await client?.close()
    lcm?.close()
  }
})

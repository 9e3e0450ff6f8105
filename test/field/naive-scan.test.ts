import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { GrepInput } from '#core/contract/retrieval.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'
import { allPages, naiveRows } from '../search/retrieval/naive-scan.ts'
import { FIELD_DATA } from './field-data.ts'

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const files = ['xquad/xquad.zh.json', 'kdconv/film_test.json', 'openhands/resolver_mock_output.jsonl']
const paths = files.map((name) => join(FIELD_DATA, 'data', name))

it('a search in real texts finds what a naive scan finds', { timeout: 120_000 }, async () => {
  using memory = buildMemory({ conversations: [{}] })
  const random = new Random(9)
  const texts = paths.flatMap((path) => {
    const whole = readFileSync(path, 'utf8').slice(0, 400_000)
    return Array.from({ length: 400 }, () => {
      const at = random.int(0, whole.length - 1)
      return whole.slice(at, at + random.int(20, 900)).toWellFormed()
    })
  })
  const store = new ConversationStore(memory.db, createTokenEstimator(), Date.now)
  const messages = texts.map((content, i) => ({
    ...{ externalId: `m${i}`, role: 'user' as const, content, parts: [] },
    createdAtMs: STORY_BEGINS_MS + ((i * 7919) % 1200) * 1000,
  }))
  store.ingestBulk([{ conversationId: 1, messages }])
  const grep = new Grep(memory.db, NATIVE_CAPABILITIES, new MemoryReader(memory.db))
  const rows = naiveRows(memory.db)
  for (let run = 0; run < 120; run += 1) {
    const text = [...random.pick(texts)]
    const from = random.int(0, Math.max(0, text.length - 1))
    const query = text.slice(from, from + random.int(1, 9)).join('')
    if (query.trim() === '') continue
    const mode = random.pick(['literal', 'regex'] as const)
    const input = GrepInput.parse({
      query: mode === 'regex' ? escaped(query) : query,
      mode,
      caseSensitive: true,
      limit: 400,
    })
    const { ids } = await allPages(grep, input)
    const wanted = rows.filter((row) => row.texts.some((one) => one.includes(query))).map(({ id }) => id)
    expect([mode, query, [...ids].sort()]).toEqual([mode, query, wanted.sort()])
  }
})

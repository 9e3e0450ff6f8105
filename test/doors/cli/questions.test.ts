import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { document, lcmHere } from './lcm.ts'
import { importedMemory } from './memories.ts'

const time = z.string().regex(/Z$/).nullable()
const ExpandQuery = z.looseObject({
  answer: z.string(),
  citations: z.array(z.looseObject({ id: z.string(), seq: z.int().nullable(), excerpt: z.string(), createdAt: time })),
  tokensUsed: z.int(),
  grant: z.looseObject({ usedTokens: z.int(), calls: z.int(), issuedAt: time, expiresAt: time, state: z.string() }),
  model: z.null(),
  truncated: z.boolean(),
})
const Provenance = z.looseObject({
  claims: z.array(
    z.looseObject({
      text: z.string(),
      support: z.enum(['supported', 'weak', 'none']),
      passages: z.array(z.looseObject({ id: z.string(), createdAt: time })),
    }),
  ),
  counts: z.looseObject({ supported: z.int() }),
})

let db: string
let summary: string
beforeAll(async () => {
  db = (await importedMemory()).db
  const compacted = await document(z.looseObject({ created: z.array(z.looseObject({ id: z.string() })) }), [
    ...['compact', '--db', db, '--conversation', '1', '--set', 'leafChunkTokens=1500', '--set', 'leafTargetTokens=200'],
  ])
  summary = compacted.created.at(-1)?.id ?? ''
})

describe('lcm expand-query', () => {
  it('prints an answer with its citations, within the token cap', async () => {
    const asked = ['expand-query', 'Which lock is taken, and when?', '--db', db, '--token-cap', '300']
    const result = await document(ExpandQuery, asked)
    expect(result.citations.length).toBeGreaterThan(0)
    expect(result.tokensUsed).toBeLessThanOrEqual(300)
    const { stdout, code } = await lcmHere(asked)
    expect(code).toBe(0)
    expect(stdout).toContain(`[${result.citations[0]?.id}]`)
    expect(stdout).toMatch(/best passages · [\d,]+ of 300 tokens/)
  })

  it('searches below the given summaries only', async () => {
    const result = await document(ExpandQuery, ['expand-query', 'lock', '--summary', summary, '--db', db])
    expect(result).toMatchObject({ candidates: [summary] })
  })

  it('refuses a token cap above the limit for agents, and an unknown summarizer', async () => {
    for (const more of [
      ['--token-cap', '8001'],
      ['--summarizer', 'nobody'],
      ['--token-cap', '0'],
    ]) {
      expect((await lcmHere(['expand-query', 'x', '--db', db, ...more])).code).toBe(2)
    }
    expect((await lcmHere(['expand-query', 'x', '--summary', 'sum_none', '--db', db])).code).toBe(1)
  })
})

describe('lcm provenance', () => {
  it('prints the passages for every sentence of a summary', async () => {
    const found = await document(Provenance, ['provenance', summary, '--db', db])
    expect(found.claims.length).toBeGreaterThan(1)
    expect(found.counts.supported).toBe(found.claims.length)
    const { stdout, code } = await lcmHere(['provenance', summary, '--db', db, '--limit', '1'])
    expect(code).toBe(0)
    expect(stdout).toContain(`✓ ${found.claims[0]?.text.slice(0, 20)}`)
    const one = await document(Provenance, ['provenance', summary, '--db', db, '--from', '0', '--to', '60'])
    expect(one.claims.length).toBeLessThan(found.claims.length)
  })

  it('accepts ids of summaries only', async () => {
    expect((await lcmHere(['provenance', 'msg_1', '--db', db])).code).toBe(2)
    expect((await lcmHere(['provenance', 'sum_none', '--db', db])).code).toBe(1)
  })
})

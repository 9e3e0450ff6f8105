import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { driveJob, runJob } from '#core/doors/run-job.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIELD_DATA } from './field-data.ts'

// Three million tokens are counted exactly, which takes some seconds.

const queries = {
  contents: 'SELECT role AS kind, content AS text FROM messages',
  reasoning: "SELECT 'reasoning' AS kind, text_content AS text FROM message_parts WHERE part_type = 'reasoning'",
  inputs: "SELECT 'tool input' AS kind, tool_input AS text FROM message_parts WHERE part_type = 'tool'",
  outputs: "SELECT 'tool' AS kind, tool_output AS text FROM message_parts WHERE part_type = 'tool'",
}
type Row = { readonly kind: string; readonly text: string | null }

/** Texts are taken up to here: the rest of a long one is of the same kind. */
const LONGEST = 20_000
/** Of shorter texts a share says nothing: one token more or less is all. */
const FEWEST_TOKENS = 20

describe('the heuristic on real transcripts, against o200k_base', () => {
  const heuristic = createTokenEstimator('heuristic')
  const exact = createTokenEstimator('o200k_base')
  const shares = new Map<string, { estimated: number; counted: number; each: number[] }>()

  beforeAll(async () => {
    const settings = readSettings({})
    using lcm = await openLcm(join(temporaryFolder(), 'lcm.db'), { create: true, settings })
    const paths = [join(FIELD_DATA, 'data')]
    const spec = { kind: 'import' as const, paths, format: 'auto' as const, window: 'history' as const }
    await driveJob(runJob(lcm, spec, new AbortController().signal), () => undefined)
    for (const query of Object.values(queries)) {
      for (const { kind, text } of lcm.read.iterate<Row>(query)) {
        const taken = text?.slice(0, LONGEST) ?? ''
        const counted = exact.count(taken)
        if (counted < FEWEST_TOKENS) continue
        const estimated = heuristic.count(taken)
        const of = shares.get(kind) ?? { estimated: 0, counted: 0, each: [] }
        shares.set(kind, of)
        of.estimated += estimated
        of.counted += counted
        of.each.push(estimated / counted - 1)
      }
    }
  }, 120_000)

  it.each(['user', 'assistant', 'system', 'reasoning', 'tool input', 'tool'])(
    'is at most a twentieth too low on average for %s, in all and for each text',
    (kind) => {
      const { estimated = 0, counted = 0, each = [] } = shares.get(kind) ?? {}
      expect(each.length).toBeGreaterThan(0)
      expect(estimated / counted - 1).toBeGreaterThan(-0.05)
      expect(each.reduce((sum, share) => sum + share, 0) / each.length).toBeGreaterThan(-0.05)
    },
  )

  it('is at most a fifth too low for 19 of 20 texts of any kind', () => {
    for (const [kind, { each }] of shares) {
      const lowest = each.toSorted((a, b) => a - b)[Math.floor(each.length / 20)] ?? 0
      expect(lowest, kind).toBeGreaterThan(-0.2)
    }
  })
})

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copied } from '#test/doctor/working-copy/copying.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { apply, plan } from './doctor.ts'

it('keeps a repair that settles errors when messages come back without the other half of their tool call', async () => {
  const { path } = await copied(join(FIXTURES, 'hermes-lcm/damaged.db'))
  const { steps } = await plan(path)
  const back = steps.find(({ id }) => id === 'coverage_gap:1')
  expect(back?.description).toMatch(/1 of them has tool calls or results whose other half a summary covers/)
  const result = await apply(
    path,
    steps.filter(({ risk }) => risk !== 'manual').map(({ id }) => id),
  )
  expect(result.rolledBack).toBeNull()
  expect(result.after).toMatchObject({ tool_pair_split: 2 })
  const errors = ['dangling_edge', 'lineage_cycle', 'coverage_gap', 'summary_without_source']
  expect(errors.filter((id) => id in result.after)).toEqual([])
  expect(errors.filter((id) => id in result.before)).not.toEqual([])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { INPUTS } from '#core/agents/tools/tool-inputs.ts'
import { THRESHOLDS } from '#core/provenance/thresholds.ts'

const page = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

it('docs/mcp.md names every tool with all its inputs', () => {
  const rows = [...page('mcp.md').matchAll(/^\| `(lcm_\w+)` \| (.*?) \|/gm)]
  const told = Object.fromEntries(
    rows.map((row) => [row[1], [...(row[2] ?? '').matchAll(/`(\w+)`/g)].map((name) => name[1])]),
  )
  expect(told).toEqual(
    Object.fromEntries(Object.entries(INPUTS).map(([name, input]) => [name, Object.keys(input.shape)])),
  )
})

it('docs/provenance.md names the thresholds of the code', () => {
  expect(page('provenance.md')).toContain(
    `From ${THRESHOLDS.supported} on a claim is *supported*, from ${THRESHOLDS.weak} on *weak*`,
  )
})
